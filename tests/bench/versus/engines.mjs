// engines.mjs: what others take for a rollback: saving and restoring of two physics engines by their own step, and a rollback library's frame by
// how late inputs come. One line of JSON for each. Medians, so that a collection of garbage is not the figure.
//
//   node engines.mjs SCALE    in a folder where package.json's packages are installed; SCALE 1 for a look, 10 for figures
import { buildSync } from "esbuild";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const scale = Number(process.argv[2] ?? 1);
const require = createRequire(join(process.cwd(), "package.json"));
if (!Number.isInteger(scale) || scale < 1 || scale > 1000) {
    console.error("engines: SCALE must be a whole number from 1 to 1000");
    process.exit(2);
}

const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const now = () => Number(process.hrtime.bigint()) / 1000;
const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];
const say = (line) => console.log(JSON.stringify(line));

// save, restore and step of a world, each timed by itself, `rounds` times after a warm-up.
function time(world, rounds) {
    const saves = [], restores = [], steps = [];
    for (let i = 0; i < rounds + 50; i++) {
        const start = now();
        const saved = world.save();
        const between = now();
        world.restore(saved);
        const restored = now();
        world.step();
        const stepped = now();
        if (i >= 50) {
            saves.push(between - start);
            restores.push(restored - between);
            steps.push(stepped - restored);
        }
        world.drop?.(saved);
    }
    const [save, restore, step] = [saves, restores, steps].map(median);
    return { save_us: save, restore_us: restore, step_us: step, ratio: (save + restore) / step };
}

// Bodies falling into a box, so that they touch and stay awake: what a fight or a crowd is to an engine.
async function rapier(bodies) {
    const RAPIER = (await load("@dimforge/rapier2d-deterministic-compat")).default ?? (await load("@dimforge/rapier2d-deterministic-compat"));
    await RAPIER.init();
    let world = new RAPIER.World({ x: 0, y: -9.81 });
    world.createCollider(RAPIER.ColliderDesc.cuboid(40, 0.5));
    for (const x of [-20, 20]) {
        world.createCollider(RAPIER.ColliderDesc.cuboid(0.5, 40).setTranslation(x, 0));
    }
    for (let i = 0; i < bodies; i++) {
        const body = world.createRigidBody(RAPIER.RigidBodyDesc.dynamic().setTranslation((i % 20) * 1.5 - 15, 2 + Math.floor(i / 20) * 1.5).setCanSleep(false));
        world.createCollider(RAPIER.ColliderDesc.ball(0.5), body);
    }
    let bytes = 0;
    const result = time({
        save: () => { const saved = world.takeSnapshot(); bytes = saved.length; return saved; },
        restore: (saved) => { const old = world; world = RAPIER.World.restoreSnapshot(saved); old.free(); },
        step: () => world.step(),
    }, 200 * scale);
    say({ what: "rapier2d-deterministic", bodies, bytes, ...result });
}

async function jolt(bodies) {
    const Jolt = await (await load("jolt-physics")).default();
    const settings = new Jolt.JoltSettings();
    const layers = new Jolt.ObjectLayerPairFilterTable(2);
    layers.EnableCollision(0, 1);
    layers.EnableCollision(1, 1);
    const phases = new Jolt.BroadPhaseLayerInterfaceTable(2, 2);
    phases.MapObjectToBroadPhaseLayer(0, new Jolt.BroadPhaseLayer(0));
    phases.MapObjectToBroadPhaseLayer(1, new Jolt.BroadPhaseLayer(1));
    settings.mObjectLayerPairFilter = layers;
    settings.mBroadPhaseLayerInterface = phases;
    settings.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(phases, 2, layers, 2);
    settings.mMaxWorkerThreads = 0;
    const jolt = new Jolt.JoltInterface(settings);
    const system = jolt.GetPhysicsSystem(), interface_ = system.GetBodyInterface();
    const add = (shape, x, y, z, motion, layer) => {
        const body = interface_.CreateBody(new Jolt.BodyCreationSettings(shape, new Jolt.RVec3(x, y, z), new Jolt.Quat(0, 0, 0, 1), motion, layer));
        body.SetAllowSleeping?.(false);
        interface_.AddBody(body.GetID(), Jolt.EActivation_Activate);
    };
    add(new Jolt.BoxShape(new Jolt.Vec3(40, 0.5, 40), 0.05), 0, 0, 0, Jolt.EMotionType_Static, 0);
    for (let i = 0; i < bodies; i++) {
        add(new Jolt.SphereShape(0.5), (i % 8) * 1.2 - 4, 2 + Math.floor(i / 64) * 1.2, (Math.floor(i / 8) % 8) * 1.2 - 4, Jolt.EMotionType_Dynamic, 1);
    }
    const result = time({
        save: () => { const saved = new Jolt.StateRecorderImpl(); system.SaveState(saved); return saved; },
        restore: (saved) => { saved.Rewind(); system.RestoreState(saved); },
        step: () => jolt.Step(1 / 60, 1),
        drop: (saved) => Jolt.destroy(saved),
    }, 200 * scale);
    say({ what: "jolt-physics", bodies, ...result });
}

// The library's own netcode, over a state of 64 bytes of numbers, as a host whose partner's inputs come `delay` frames late: each frame it ticks,
// hears of an old one, goes back and steps again.
async function netplay(delays) {
    // Its bundle is for browsers and keeps the netcode to itself, so the netcode's own source is taken.
    const folder = join(require.resolve("netplayjs"), "../../src");
    const out = join(process.cwd(), "netplay-bundle.mjs");
    buildSync({
        stdin: { contents: `export { RollbackNetcode } from "${folder}/netcode/rollback"; export { NetplayState, NetplayInput, NetplayPlayer } from "${folder}/types";`,
                 resolveDir: process.cwd(), loader: "ts" },
        bundle: true, format: "esm", platform: "node", outfile: out, define: { "process.env.NODE_ENV": '"production"' }, logLevel: "error",
    });
    const { RollbackNetcode, NetplayState, NetplayInput, NetplayPlayer } = await import(pathToFileURL(out).href);
    class Input extends NetplayInput { constructor(button) { super(); this.button = button; } }
    class State extends NetplayState {
        constructor() { super(); this.numbers = Array.from({ length: 16 }, (_, i) => i); }
        tick(inputs) {
            let sum = 0;
            for (const input of inputs.values()) {
                sum = (sum * 31 + input.button) | 0;
            }
            for (let i = 0; i < 16; i++) {
                this.numbers[i] = (this.numbers[i] * 5 + sum + i) | 0;
            }
        }
    }
    for (const delay of delays) {
        const here = new NetplayPlayer(0, true, true), there = new NetplayPlayer(1, false, false);
        let frame = 0;
        const netcode = new RollbackNetcode(true, new State(), [here, there], new Map([[here, new Input(0)], [there, new Input(0)]]), delay + 2, null, 16,
            () => new Input(frame % 3), () => {}, () => {});
        const times = [];
        for (frame = 1; frame <= 1500 * scale; frame++) {
            const start = now();
            netcode.tick();
            if (frame > delay) {
                netcode.onRemoteInput(frame - delay, there, new Input((frame * 7) % 5));
            }
            times.push(now() - start);
        }
        if (netcode.currentFrame() !== frame - 1) {
            throw new Error(`netplayjs stalled at frame ${netcode.currentFrame()}`);
        }
        say({ what: "netplayjs", delay, frame_us: median(times.slice(200)) });
    }
}

for (const bodies of [64, 256]) {
    await rapier(bodies);
    await jolt(bodies);
}
await netplay([1, 4, 8, 16]);
process.exit(0);
