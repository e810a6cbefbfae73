// react.ts - the state of a session for React, a peer dependency that only this file needs.
import { useEffect, useState } from 'react';

import type { Session, SessionState } from './session.js';

/** The state of the session, in every tab; undefined until it is read. */
export function useSession(session: Session): SessionState | undefined {
    const [told, setTold] = useState<{ session: Session; state: SessionState }>();

    useEffect(() => session.onChange((state) => setTold({ session, state })), [session]);
    return told?.session === session ? told.state : undefined;
}
