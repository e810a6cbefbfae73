// frame.js - a document that someone wrote, such as an email or a page with other colors, in a frame without scripts.
import { html, useEffect, useRef, useState } from './html.js';

/**
 * The frame has its own document, in a sandbox without scripts, forms and navigation, and with a CSP that loads nothing.
 * Trusted Types protect only this document, so the frame's text bypasses them. `draw(page, frame)` can change the page
 * after it has been drawn; it and `text` change together.
 */
export function Frame({ text, draw, ...rest }) {
    const frame = useRef(), [ready, setReady] = useState(false);

    useEffect(() => {
        if (!ready)
            return;
        frame.current.contentDocument.documentElement.innerHTML = text;
        draw?.(frame.current.contentDocument, frame.current);
    }, [ready, text, draw]);
    return html`<iframe src="/console/preview.html" sandbox="allow-same-origin" ref=${frame} onLoad=${() => setReady(true)} ...${rest}></iframe>`;
}
