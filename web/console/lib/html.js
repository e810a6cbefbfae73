// html.js - Preact with htm: what every other module draws with.
import { h, render, Fragment } from 'preact';
import { useCallback, useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState } from 'hooks';
import htm from 'htm';

export const html = htm.bind(h);
export { render, Fragment, useCallback, useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState };
