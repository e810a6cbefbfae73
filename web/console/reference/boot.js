// boot.js - shows /openapi.json in Swagger UI. "Try it out" sends requests to this origin, which the page's policy admits,
// even if the description names public_url. A token that is entered stays in this page.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);

follow();
dark.addEventListener('change', follow);

fetch('/openapi.json').then((answer) => {
    if (!answer.ok)
        throw new Error(`/openapi.json returned ${answer.status}`);
    return answer.json();
}).then((spec) => {
    SwaggerUIBundle({
        spec: { ...spec, servers: [{ url: '/', description: 'This installation' }] },
        dom_id: '#reference',
        deepLinking: true,
        defaultModelsExpandDepth: -1,
        docExpansion: 'list',
        filter: true,
        validatorUrl: null,
    });
}).catch((reason) => {
    document.querySelector('.note').textContent = `The API reference failed to load: ${reason.message}. Reload the page.`;
});
