// html.js - Preact with htm, for all other modules.
import { h, render, Fragment } from 'preact';
import { useCallback, useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState } from 'hooks';
import htm from 'htm';

export const html = htm.bind(h);

/** Starts a new task, so that key presses and painting come first. */
export const pause = () => globalThis.scheduler?.yield?.() ?? new Promise((done) => setTimeout(done));

const LONG_WORD = /\S{20}/, PARTS = /[^]+?(?:[@./:_|-]+(?=\w)|$)/g, PIECES = /\S{20}(?=\S{20})|[^]+?(?=\S{40}|$)/g;

/**
 * Lets a text break lines in addresses after their punctuation, never inside a word of usual length; also the texts in a
 * list of elements.
 */
export const breakable = (text) => (Array.isArray(text) ? text.map(breakable) : typeof text === 'string' && LONG_WORD.test(text)
    ? text.match(PARTS).flatMap((part) => part.match(PIECES)).map((part, i) => html`${i > 0 && html`<wbr />`}${part}`) : text);

export { render, Fragment, useCallback, useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState };
