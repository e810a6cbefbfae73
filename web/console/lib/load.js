// load.js - modules loaded on demand: a screen's when it is opened, a language's texts when it is chosen. The document
// names and defers each module (index.html); at its end each registers itself with arrive().
import { begin, heldBack, SETTLED } from './first.js';

const arrived = {};

/** A module failed to load: no network, or the service has another version now. */
export class LoadError extends Error {}

/** Returns a loaded module, or undefined. */
export const moduleOf = (name) => arrived[name];

export function arrive(name, module) {
    arrived[name] = module;
    heldBack(name).dispatchEvent(new Event(SETTLED));
}

/** Returns the module, loaded if needed. Throws LoadError; the next call tries again. */
export const load = (name) => new Promise((done, fail) => {
    const end = () => (name in arrived ? done(arrived[name]) : fail(new LoadError()));

    if (name in arrived)
        return end();
    heldBack(name).addEventListener(SETTLED, end, { once: true });
    return begin(name);
});
