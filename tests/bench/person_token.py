#!/usr/bin/env python3
"""person_token.py ISSUER CLIENT SECRET REDIRECT EMAIL PASSWORD - signs a person in on an issuer's pages for a first-party
client, and prints the client's access token for the issuer's userinfo."""
import html
import http.cookiejar
import json
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

issuer, client, secret, redirect, email, password = sys.argv[1:]
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


browser = urllib.request.build_opener(
    urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), Stay
)


def load(url, form=None):
    """Sends a GET, or a form by POST. Returns the response's text, or its redirect."""
    origin = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(issuer))
    data = urllib.parse.urlencode(form).encode() if form else None
    try:
        answer = browser.open(urllib.request.Request(url, data, {"Origin": origin}), timeout=30)
        return answer.read().decode(), None
    except urllib.error.HTTPError as error:
        if error.code != 303:
            sys.exit(f"person_token: {error.code} of {url}: {error.read().decode()[:300]}")
        return "", urllib.parse.urljoin(url, error.headers["Location"])


def filled_in(url, page):
    """Returns the target and the content of a page's form."""
    opening, inner = re.search(r"(<form\b[^>]*>)(.*?)</form>", page, re.S).groups()
    form = {"email": email, "password": password}
    for tag in re.findall(r"<input\b[^>]*>", inner):
        attributes = dict(re.findall(r'\s(\w+)="([^"]*)"', tag))
        if attributes.get("type") == "hidden":
            form[attributes["name"]] = html.unescape(attributes.get("value", ""))
    action = html.unescape(re.search(r'\saction="([^"]*)"', opening).group(1))
    return urllib.parse.urljoin(url, action), form


url = issuer + "/authorize?" + urllib.parse.urlencode({
    "response_type": "code", "client_id": client, "redirect_uri": redirect, "scope": "openid email",
    "code_challenge": CHALLENGE, "code_challenge_method": "S256",
})
while not url.startswith(redirect):
    page, leads_to = load(url)
    if not leads_to:
        page, leads_to = load(*filled_in(url, page))
    if not leads_to:
        sys.exit(f"person_token: {url} leads nowhere")
    url = leads_to
code = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)["code"][0]
print(json.loads(load(issuer + "/token", {
    "grant_type": "authorization_code", "client_id": client, "client_secret": secret, "code": code,
    "redirect_uri": redirect, "code_verifier": VERIFIER,
})[0])["access_token"])
