// html.js - Preact with htm: what every other module draws with.
import { h, render, Fragment } from 'preact';
import { useCallback, useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState } from 'hooks';
import htm from 'htm';

export const html = htm.bind(h);

/** What comes after it is a task of its own, so that a key that was pressed or a part that is to be painted comes first. */
export const pause = () => globalThis.scheduler?.yield?.() ?? new Promise((done) => setTimeout(done));

export { render, Fragment, useCallback, useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState };
