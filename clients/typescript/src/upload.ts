// upload.ts - a file becomes a document: one request for a form, one that posts it.
import { AtriumError, ok } from './errors.js';
import type { components } from './openapi.js';
import type { Session } from './session.js';

type Schemas = components['schemas'];

export interface UploadOptions {
    /** Default: the name of the File. */
    fileName?: string;
    contentType?: string;
    isPublic?: boolean;
    /** From 0 to 1, never less than before; 1 only once the file has arrived. */
    onProgress?: (done: number) => void;
    signal?: AbortSignal;
}

/** Uploads a file and answers its document. What was begun for one that fails or is aborted is
 *  removed. */
export async function upload(
    session: Session, file: Blob, options: UploadOptions = {},
): Promise<Schemas['document']> {
    const { signal, onProgress = () => {} } = options;
    const document = ok(await session.client.POST('/document', { signal, body: {
        fileName: options.fileName ?? (file instanceof File ? file.name : 'file'),
        contentType: options.contentType || file.type || 'application/octet-stream',
        ...(options.isPublic !== undefined && { isPublic: options.isPublic }),
    } }));

    try {
        if (!document.uploadOptions)
            throw new AtriumError(null);
        await post(document.uploadOptions, file, onProgress, signal);
    } catch (error) {
        const path = { id: document.id };
        await session.client.DELETE('/document/{id}', { params: { path } }).catch(() => {});
        throw error;
    }
    onProgress(1);
    return document;
}

// By XMLHttpRequest, since fetch tells no progress; by fetch where there is none, as in Node.
async function post(
    form: Schemas['upload_options'], file: Blob, onProgress: (done: number) => void,
    signal?: AbortSignal,
): Promise<void> {
    const body = new FormData();

    for (const [name, value] of Object.entries(form.fields))
        body.append(name, value);
    body.append('file', file);
    const answer = typeof XMLHttpRequest === 'undefined'
        ? await fetch(form.url, { method: 'POST', body, signal }).catch((cause) => {
            throw signal?.aborted ? cause : new AtriumError(null, null, { cause });
        })
        : await postWithProgress(form.url, body, onProgress, signal);
    if (answer.status !== 204)
        throw new AtriumError(answer, await answer.json().catch(() => null));
}

function postWithProgress(
    url: string, body: FormData, onProgress: (done: number) => void, signal?: AbortSignal,
): Promise<Response> {
    return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest(), abort = () => request.abort();
        let shown = 0;

        signal?.throwIfAborted();
        signal?.addEventListener('abort', abort);
        request.upload.onprogress = ({ loaded, total }) => {
            if (total > 0 && loaded < total && loaded / total > shown)
                onProgress(shown = loaded / total);
        };
        request.onloadend = () => {
            signal?.removeEventListener('abort', abort);
            if (request.status > 0)
                resolve(new Response(request.status === 204 ? null : request.responseText,
                    { status: request.status }));
            else
                reject(signal?.aborted ? signal.reason : new AtriumError(null));
        };
        request.open('POST', url);
        request.send(body);
    });
}
