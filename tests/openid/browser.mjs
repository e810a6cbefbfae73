// browser.mjs - a person's browser without scripts: it keeps cookies, follows redirects and fills in the displayed page's form.

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

  // Opens a URL that redirects immediately, and returns the target.
  async leave(url) {
    const answer = await this.ask(url);

    if (answer.status !== 303)
      throw new Error(`${url.pathname}: ${answer.status} ${await answer.text()}`);
    return new URL(answer.headers.get('location'), url);
  }

// Follows redirects and fills in each page's form by its inputs' names, with the first button. Returns the external URL of
// the final redirect, or the URL of a page without a form.
  async walk(url, values) {
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
      if (answer.status !== 200)
        throw new Error(`${url.pathname}: ${answer.status} ${page}`);
      const [, opening, inner] = page.match(/(<form\b[^>]*>)(.*?)<\/form>/s) ?? [];
      if (!opening)
        return url;
      url = new URL(attribute(opening, 'action'), url);
      form = new URLSearchParams();
      for (const [tag] of inner.matchAll(/<input\b[^>]*>/g)) {
        const name = attribute(tag, 'name');

        if (attribute(tag, 'type') === 'hidden')
          form.set(name, attribute(tag, 'value') ?? '');
        else if (name in values)
          form.set(name, values[name]);
      }
      const [button] = inner.match(/<button\b[^>]*>/);
      if (attribute(button, 'name'))
        form.set(attribute(button, 'name'), attribute(button, 'value'));
    }
    throw new Error(`no way out of ${url}`);
  }

  // Signs the person in where a page asks for it, and returns the client's URL.
  authorize(url, {email, password}) {
    return this.walk(url, {email, password});
  }

  // Signs the person in and approves the device that shows this code.
  connect(url, {email, password}, code) {
    return this.walk(url, {email, password, code});
  }
}
