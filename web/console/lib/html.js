// html.js - Preact with htm, for all other modules.
import { h, render, Fragment } from 'preact';
import { useCallback, useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState } from 'hooks';
import htm from 'htm';

export const html = htm.bind(h);

/** Starts a new task, so that key presses and painting come first. */
export const pause = () => globalThis.scheduler?.yield?.() ?? new Promise((done) => setTimeout(done));

export { render, Fragment, useCallback, useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState };
