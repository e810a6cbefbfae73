// router.js - addresses below /console.
import { html, useEffect, useState } from './html.js';

const BASE = '/console';
const listeners = new Set();
let leave = null; // asks before the address changes

const read = () => ({
    path: location.pathname.slice(BASE.length).replace(/\/+$/, '') || '/',
    query: Object.fromEntries(new URLSearchParams(location.search)),
});

const tell = () => listeners.forEach((each) => each());

/** Keeps what was typed: `ask` answers whether it may go. null: nothing to keep. */
export function guard(ask) {
    leave = ask;
}

export function navigate(path, { replace = false } = {}) {
    if (leave && !replace && !leave())
        return;
    if (!replace)
        leave = null;
    history[replace ? 'replaceState' : 'pushState'](null, '', BASE + path);
    tell();
    if (!replace)
        window.scrollTo(0, 0);
}

window.addEventListener('popstate', () => { leave = null; tell(); });
window.addEventListener('beforeunload', (event) => { if (leave) event.preventDefault(); });

export function useRoute() {
    const [route, set] = useState(read);

    useEffect(() => {
        const look = () => set(read());
        listeners.add(look);
        return () => listeners.delete(look);
    }, []);
    return route;
}

export function Link({ to, children, ...rest }) {
    const click = (event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
            return;
        event.preventDefault();
        navigate(to);
        rest.onFollow?.();
    };
    const { onFollow, ...attributes } = rest;

    return html`<a href=${BASE + to} onClick=${click} ...${attributes}>${children}</a>`;
}

/** The values of "/people/:id" in a path, or null. */
export function match(pattern, path) {
    const names = [];
    const found = new RegExp(`^${pattern.replace(/:(\w+)/g, (all, name) => {
        names.push(name);
        return '([^/]+)';
    })}$`).exec(path);

    return found && Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(found[i + 1])]));
}
