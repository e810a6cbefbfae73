// usage.ts - a client's code with each generator, checked by `tsc --strict` and run by check.cjs.
import { createHash, randomBytes } from 'node:crypto';

import * as orval from './orval';
import { createClient } from './hey/client';
import * as hey from './hey';
import type { components, operations } from './types';

type Schemas = components['schemas'];
type Body<T extends keyof operations> = operations[T] extends
    { requestBody: { content: { 'application/json': infer B } } } ? B : never;

// A response has one of two shapes, distinguished by nextStep.
export function tokenOf(answer: Schemas['token_or_step']): string {
    return 'nextStep' in answer ? answer.nextStep : answer.accessToken;
}
export function nextOf(answer: Schemas['login_step']): string {
    return answer.nextStep === 'mfa' ? answer.loginId : answer.sessionCode;
}
export function loginOf(error: Schemas['mfa_required']): string | undefined {
    return error.code === 'MFA_REQUIRED' ? error.loginId : undefined;
}

// Members that are always present need no question mark, and maps have a type.
export const display = (me: Schemas['me_out']): string => me.membership.user.display;
export const menu = (me: Schemas['me_out']): number => me.config.menu.length;
export const system = (session: Schemas['session_record']): string => session.os;
export const field = (form: Schemas['upload_options'], name: string): string | undefined =>
    form.fields[name];
export const names = (bot: Schemas['bot']): string[] =>
    bot.secretNames.concat(bot.identifier.map((each) => each.value));
export const actions = (policy: Schemas['access_policy']): string[] =>
    policy.resource.flatMap((rule) => rule.interaction ?? []);

export const bot: Body<'bot_create'> = {
    identifier: [{ value: 'intake' }], name: 'Intake', kind: 'http',
    url: 'https://bots.example/intake', secrets: { API_KEY: 'x' },
};
export const anything: Body<'bot_execute'> = { any: [1, { thing: true }] };
export const shared: Body<'document_create'> =
    { fileName: 'a.png', contentType: 'image/png', isPublic: 'true' };
export const setting: operations['setting_switch']['parameters']['path']['name'] =
    'PATIENT_LOGIN_ENABLED';

// @ts-expect-error there is no such setting
export const unknown: operations['setting_switch']['parameters']['path']['name'] = 'LOGIN';
// @ts-expect-error secrets are strings
export const wrong: Body<'bot_create'>['secrets'] = { API_KEY: 1 };
// @ts-expect-error a Host is no parameter
export const host: operations['document_create']['parameters']['header'] = { Host: 'a' };

export const byOrval: orval.BotIn = { ...bot, secrets: { API_KEY: 'x' } };
export const byHey: hey.BotIn = bot;

// A patient registers, signs in with PKCE and reads the profile with the client of @hey-api/openapi-ts.
async function main(url: string): Promise<void> {
    const client = createClient({ baseUrl: url, throwOnError: true });
    const verifier = randomBytes(32).toString('base64url');
    const account = {
        email: `ana.${randomBytes(6).toString('hex')}@patients.example`,
        password: 'a long demo password', tenantCode: 'demo',
    };
    const made = await hey.patientRegister(
        { client, throwOnError: true, body: { ...account, name: 'Ana', surname: 'Lima' } });
    const codeChallenge = createHash('sha256').update(verifier).digest('base64url');
    const start = await hey.patientLoginStart(
        { client, throwOnError: true, body: { ...account, codeChallenge } });

    if (!('accessToken' in made.data) || start.data.nextStep !== 'token')
        throw new Error('no token');
    const tokens = await hey.patientLoginToken({
        client, throwOnError: true,
        body: { sessionCode: start.data.sessionCode, codeVerifier: verifier },
    });
    const me = await hey.me(
        { client, throwOnError: true, headers: { Authorization: `Bearer ${tokens.data.accessToken}` } });

    console.log(`signed in as ${me.data.membership.user.display}`);
}

if (process.argv[2])
    main(process.argv[2]).catch((reason) => {
        console.error(reason);
        process.exit(1);
    });
