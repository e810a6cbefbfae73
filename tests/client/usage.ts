// usage.ts - an application's code, checked by `tsc --strict`. check.mjs compiles it with the packed client, and with types
// of changed descriptions with which it must not compile.
import { AtriumError, Session, SignIn, memoryStorage, ok, upload } from '@atrium/client';
import type { Step, TokenStorage, components } from '@atrium/client';
import { useSession } from '@atrium/client/react';

const storage: TokenStorage = memoryStorage();
const session = new Session({
    url: 'https://api.clinic.example', storage, name: 'clinic',
    prove: async (of) => {
        await of.stepUp({ password: 'correct horse' });
        return true;
    },
});

export async function signIn(email: string, password: string): Promise<string> {
    const login = new SignIn(session, 'Patient', 'demo');
    let step: Step = await login.password(email, password);

    if (step.next === 'mfa')
        step = await login.factor('123456');
    return step.next === 'tenant' ? step.tenants.map((each) => each.project.display).join() : step.next;
}

// A registration returns tokens, or the next step.
export async function register(): Promise<string | undefined> {
    const person = { email: 'ana@example.org', password: 'x', name: 'Ana', surname: 'Lima' };
    const step = await new SignIn(session, 'Patient', 'demo').register(person);

    return step.next === 'mail' ? step.mail : undefined;
}

export function Name(): string {
    const state = useSession(session);

    return state?.signedIn ? state.profile : '';
}

export async function name(): Promise<string> {
    const { data, error } = await session.client.GET('/auth/me');

    return data ? data.membership.user.display : String(error.message);
}

export async function shared(id: string): Promise<components['schemas']['document']> {
    return ok(await session.client.PATCH('/document/{id}', { params: { path: { id } }, body: { isPublic: true } }));
}

export async function send(file: File): Promise<string> {
    try {
        const document = await upload(session, file, { onProgress: (done: number) => console.log(done) });
        return document.id;
    } catch (error) {
        if (error instanceof AtriumError && error.code === 'QUOTA_EXCEEDED')
            return '';
        throw error;
    }
}

export const stop = session.onChange((state) => console.log(state.signedIn ? state.profile : state.reason));

export async function wrong(): Promise<void> {
    // @ts-expect-error there is no such route
    await session.client.GET('/auth/you');
    // @ts-expect-error it has no such method
    await session.client.DELETE('/auth/me');
    // @ts-expect-error the path needs its id
    await session.client.DELETE('/document/{id}');
    // @ts-expect-error a file name is a string
    await session.client.POST('/document', { body: { fileName: 1, contentType: 'a/b' } });
    // @ts-expect-error only practitioners can omit the tenant
    new SignIn(session, 'Patient');
}
