// play_ws.mjs: a client of somebody else's making: npm's ws. `node play_ws.mjs MODULE ws://HOST:PORT/play`; prints a line for each thing it saw.
import { createRequire } from 'node:module';

const [, , folder, url] = process.argv;
const WebSocket = createRequire(`${folder}/x.js`)('ws');

function head(kind) {
    const bytes = Buffer.alloc(18);
    bytes[0] = kind;
    bytes.writeUInt32LE(0xffffffff, 2);
    return bytes;
}
const hello = Buffer.concat([head(1), Buffer.from('TPNP'), Buffer.from([2, 0, 2, 0, 2]), Buffer.from('ws')]);
const ping = Buffer.concat([head(6), Buffer.from([1, 2, 3, 4, 5, 6, 7, 8])]);

function open(protocol) {
    return new Promise((resolve, reject) => {
        const socket = new WebSocket(url, protocol);
        socket.heard = [];
        socket.on('message', (data, isBinary) => { socket.heard.push(isBinary ? data : 'text'); socket.wake?.(); });
        socket.on('pong', (data) => { socket.heard.push(`pong ${data}`); socket.wake?.(); });
        socket.on('close', (code) => { socket.heard.push(`close ${code}`); socket.wake?.(); });
        socket.on('open', () => resolve(socket));
        socket.on('error', reject);
    });
}
async function next(socket) {
    while (socket.heard.length === 0) {
        await new Promise((resolve) => { socket.wake = resolve; });
    }
    return socket.heard.shift();
}

const socket = await open('tickproof.2');
console.log('open', socket.protocol, JSON.stringify(socket.extensions));
socket.send(hello);
console.log('welcome', (await next(socket))[0]);
socket.send(ping);
console.log('pong', (await next(socket))[0]);
socket.ping('control');
console.log(await next(socket));
socket.send(ping.subarray(0, 10), { fin: false, binary: true });
socket.send(ping.subarray(10), { fin: true, binary: true });
console.log('in two', (await next(socket))[0]);
socket.send('text');
console.log('bye', (await next(socket))[0]);
console.log(await next(socket));

const other = await open(['chat', 'tickproof.2']);
console.log('other', other.protocol);
other.close(4000, 'enough');
console.log(await next(other));

await open('tickproof.1').catch((error) => console.log(error.message));
