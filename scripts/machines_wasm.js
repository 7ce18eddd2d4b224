// machines_wasm.js: runs the one WebAssembly module of tickproof-check, the same bytes in node and in a page. Logs are put into its file system in
// memory, and what it prints is given on line by line.
//
// In node:  node machines_wasm.js FOLDER-OF-THE-MODULE ARGUMENT... -- LOG...
// In a page the function below is called by machines_page.html.
'use strict';

// Resolves to the exit code. `logs` is a list of {name, bytes}.
async function runChecker(makeChecker, wasmBinary, checkerArguments, logs, print) {
    const checker = await makeChecker({
        wasmBinary,
        print,
        printErr: print,
        quit: (status, thrown) => { throw thrown; }, // the program ends, the page or process goes on
    });
    for (const log of logs) {
        const folder = log.name.split('/').slice(0, -1).join('/');
        if (folder !== '') {
            checker.FS.createPath('/', folder, true, true);
        }
        checker.FS.writeFile('/' + log.name, log.bytes);
    }
    checker.FS.chdir('/');
    return checker.callMain([...checkerArguments, ...logs.map((log) => log.name)]);
}

if (typeof process === 'object' && typeof require === 'function') {
    const fs = require('fs');
    const path = require('path');
    const [folder, ...rest] = process.argv.slice(2);
    const split = rest.indexOf('--');
    const program = path.resolve(folder, 'tickproof-check');
    const logs = rest.slice(split + 1).map((name) => ({ name, bytes: fs.readFileSync(name) }));
    runChecker(require(program + '.js'), fs.readFileSync(program + '.wasm'), rest.slice(0, split), logs, (line) => console.log(line))
        .then((code) => { process.exitCode = code; });
}
