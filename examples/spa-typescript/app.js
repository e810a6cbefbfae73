// A single-page app: sign-in, registration, documents. Open it in two tabs: both sign in and out together.
import { Session, SignIn, ok, upload } from '@atrium/client';

const query = new URLSearchParams(location.search);
const api = query.get('api') ?? 'http://localhost:8080';
const session = new Session({ url: api });
const tenant = query.get('tenant') ?? 'demo';
const $ = (id) => document.getElementById(id);

// Shows why a request failed, instead of throwing.
const tell = (act) => async (event) => {
    event?.preventDefault?.();
    $('message').textContent = '';
    await act(event).catch((error) => { $('message').textContent = error.message; });
};

async function showDocuments() {
    const { resources } = ok(await session.client.GET('/document'));

    $('documents').replaceChildren(...resources.map(({ id, fileName }) => {
        const item = document.createElement('li'), link = document.createElement('button');
        link.textContent = fileName;
        link.onclick = tell(async () => { // a link can't send the access token
            const bytes = await (await session.fetch(`${api}/document/${id}`)).blob();
            window.open(URL.createObjectURL(bytes));
        });
        item.append(link);
        return item;
    }));
}

session.onChange(tell(async (state) => {
    $('sign-in').hidden = state.signedIn;
    $('account').hidden = !state.signedIn;
    if (!state.signedIn) {
        if (state.reason === 'ended')
            $('message').textContent = 'Your session has ended. Please sign in again.';
        return;
    }
    const me = ok(await session.client.GET('/auth/me'));
    $('name').textContent = me.membership.user.display;
    await showDocuments();
}));

$('sign-in').onsubmit = tell(async (event) => {
    const { email, password } = Object.fromEntries(new FormData(event.target));
    const login = new SignIn(session, 'Patient', tenant);
    let step = event.submitter.value === 'register'
        ? await login.register({ email, password, name: email.split('@')[0], surname: 'Example' })
        : await login.password(email, password);

    if (step.next === 'mfa')
        step = await login.factor(prompt('Code of your authenticator app:'));
    if (step.next === 'mail')
        $('message').textContent = 'Check your inbox to continue.';
});

$('file').onchange = tell(async () => {
    await upload(session, $('file').files[0], { onProgress: (done) => { $('progress').value = done; } });
    await showDocuments();
});

$('sign-out').onclick = tell(() => session.logout());
