// browser.mjs - a person's browser without scripts: it keeps cookies, follows redirects and fills in
// the form of the page that it is shown.

const ENTITIES = {'&amp;': '&', '&quot;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>'};

const text = value => value.replace(/&(amp|quot|#39|lt|gt);/g, entity => ENTITIES[entity]);

const attribute = (tag, name) => {
  const found = tag.match(new RegExp(`\\s${name}="([^"]*)"`));
  return found ? text(found[1]) : null;
};

export class Browser {
  cookies = new Map();

  async ask(url, form) {
    const answer = await fetch(url, {
      method: form ? 'POST' : 'GET',
      body: form,
      redirect: 'manual',
      headers: {
        cookie: [...this.cookies].map(pair => pair.join('=')).join('; '),
        ...(form ? {origin: new URL(url).origin} : {}),
      },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair] = line.split(';');
      this.cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return answer;
  }

  // Opens an address that sends it on at once: where to.
  async leave(url) {
    const answer = await this.ask(url);

    if (answer.status !== 303)
      throw new Error(`${url.pathname}: ${answer.status} ${await answer.text()}`);
    return new URL(answer.headers.get('location'), url);
  }

  // Signs the person in where a page asks for it: the address of the client that it is sent back to.
  async authorize(url, person) {
    const origin = url.origin;
    let form;

    for (let step = 0; step < 12; step++) {
      const answer = await this.ask(url, form);

      if (answer.status === 303 || answer.status === 302) {
        url = new URL(answer.headers.get('location'), url);
        form = undefined;
        if (url.origin !== origin)
          return url;
        continue;
      }
      const page = await answer.text();
      if (answer.status !== 200 || form)
        throw new Error(`${url.pathname}: ${answer.status} ${page}`);
      const [, opening, inner] = page.match(/(<form\b[^>]*>)(.*?)<\/form>/s);
      url = new URL(attribute(opening, 'action'), url);
      form = new URLSearchParams();
      for (const [tag] of inner.matchAll(/<input\b[^>]*>/g))
        if (attribute(tag, 'type') === 'hidden')
          form.set(attribute(tag, 'name'), attribute(tag, 'value') ?? '');
      form.set('email', person.email);
      form.set('password', person.password);
    }
    throw new Error(`no way out of ${url}`);
  }
}
