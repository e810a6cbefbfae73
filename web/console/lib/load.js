// load.js - the modules that come when they are needed: a screen's when it is opened, the texts of a language when it is
// chosen. The document names each and holds it back (index.html); at its end each hands itself over by arrive().
import { begin, heldBack, SETTLED } from './first.js';

const arrived = {};

/** A module did not come: there is no network, or the service has another version by now. */
export class LoadError extends Error {}

/** A module that has come, or undefined. */
export const moduleOf = (name) => arrived[name];

export function arrive(name, module) {
    arrived[name] = module;
    heldBack(name).dispatchEvent(new Event(SETTLED));
}

/** The module, fetched where it has not come yet. Throws LoadError; the next call fetches it again. */
export const load = (name) => new Promise((done, fail) => {
    const end = () => (name in arrived ? done(arrived[name]) : fail(new LoadError()));

    if (name in arrived)
        return end();
    heldBack(name).addEventListener(SETTLED, end, { once: true });
    return begin(name);
});
