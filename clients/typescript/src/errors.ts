// errors.ts - what a request that was not answered with success throws.
import type { components } from './openapi.js';

export type ErrorCode = NonNullable<components['schemas']['error']['code']>;
/** code and params are for programs (docs/errors.md); services before 0.4 have neither. */
export type Problem = { path: string; message: string; code?: string; params?: Record<string, unknown> };

type ErrorBody = {
    statusCode?: number;
    message?: string | Problem[];
    code?: ErrorCode;
    loginId?: string;
};

/** status and code are for programs, message is for people. */
export class AtriumError extends Error {
    override readonly name = 'AtriumError';
    /** The HTTP status; 0 when no answer came. */
    readonly status: number;
    /** Tells cases apart that share a status. A later version may answer others, too. */
    readonly code?: ErrorCode;
    /** With 422: each member that was refused. */
    readonly problems: Problem[];
    /** With MFA_REQUIRED: the sign-in that waits for the second factor. */
    readonly loginId?: string;
    /** Seconds to wait before the request is repeated; 0 when the answer did not say. */
    readonly retryAfter: number;
    /** For the operator, who finds it in the logs. */
    readonly requestId?: string;

    constructor(answer: Response | null, body?: unknown, options?: ErrorOptions) {
        const known = (typeof body === 'object' && body ? body : {}) as ErrorBody;
        const listed = Array.isArray(known.message) ? known.message : [];
        const text = listed.map((each) => `${each.path}: ${each.message}`).join(' ')
            || (typeof known.message === 'string' && known.message);

        super(text || (answer ? `HTTP status ${answer.status}` : 'No answer came.'), options);
        this.status = answer?.status ?? 0;
        this.code = known.code;
        this.problems = listed;
        this.loginId = known.loginId;
        this.retryAfter = Number(answer?.headers.get('Retry-After')) || 0;
        this.requestId = answer?.headers.get('X-Request-Id') ?? undefined;
    }

    /** Whether the service may answer later. The request may have been carried out. */
    get isTemporary(): boolean {
        return this.status === 0 || this.status === 429 || this.status >= 500;
    }
}

/** The data of an answer of openapi-fetch; throws what the service refused. */
export function ok<T>(result: { data?: T; error?: unknown; response: Response }): T {
    if (!result.response.ok)
        throw new AtriumError(result.response, result.error);
    return result.data as T;
}
