"""authlib.py - Authlib for Python signs a person in, refreshes, introspects and revokes tokens, with the issuer and clients of
stdin's JSON; see test_openid.c."""
import html
import json
import re
import sys

import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import jwt

place = json.load(sys.stdin)
issuer = place["issuer"]
meta = requests.get(issuer + "/.well-known/openid-configuration", timeout=30).json()


def fill_in(page, person):
    """Makes the request of a page's form."""
    opening, inner = re.search(r"(<form\b[^>]*>)(.*?)</form>", page.text, re.S).groups()
    fields = {}
    for tag in re.findall(r"<input\b[^>]*>", inner):
        attributes = dict(re.findall(r'\s(\w+)="([^"]*)"', tag))
        if attributes.get("type") == "hidden":
            fields[attributes["name"]] = html.unescape(attributes.get("value", ""))
    fields.update(person)
    action = html.unescape(re.search(r'\saction="([^"]*)"', opening).group(1))
    return requests.compat.urljoin(page.url, action), fields


def authorize(url, person):
    """Signs the person in and returns the client's URL to which the browser returns."""
    browser = requests.Session()
    host = "/".join(issuer.split("/")[:3])
    answer = browser.get(url, allow_redirects=False, timeout=30)
    for _ in range(12):
        if answer.status_code == 303:
            url = requests.compat.urljoin(answer.url, answer.headers["Location"])
            if not url.startswith(host):
                return url
            answer = browser.get(url, allow_redirects=False, timeout=30)
        else:
            assert answer.status_code == 200, answer.text
            url, fields = fill_in(answer, person)
            answer = browser.post(
                url, fields, headers={"Origin": host}, allow_redirects=False, timeout=30
            )
    raise AssertionError(f"no way out of {url}")


client = OAuth2Session(
    place["id"],
    place["secret"],
    scope="openid profile email",
    redirect_uri=place["redirect"],
    code_challenge_method="S256",
    token_endpoint_auth_method="client_secret_basic",
)
verifier = "an-authlib-verifier-of-more-than-forty-three-characters"
url, state = client.create_authorization_url(
    meta["authorization_endpoint"], code_verifier=verifier, nonce="n-0S6"
)
back = authorize(url, place["person"])
token = client.fetch_token(meta["token_endpoint"], authorization_response=back, code_verifier=verifier)
keys = requests.get(meta["jwks_uri"], timeout=30).json()
claims = jwt.decode(token["id_token"], keys)
claims.validate()
assert claims["iss"] == issuer and claims["aud"] == place["id"] and claims["nonce"] == "n-0S6", claims
person = client.get(meta["userinfo_endpoint"]).json()
assert person["sub"] == claims["sub"] and person["email"] == place["person"]["email"], person

renewed = client.refresh_token(meta["token_endpoint"], refresh_token=token["refresh_token"])
assert renewed["refresh_token"] != token["refresh_token"]
known = client.introspect_token(meta["introspection_endpoint"], renewed["access_token"]).json()
assert known["active"] and known["sub"] == claims["sub"], known
client.revoke_token(meta["revocation_endpoint"], renewed["refresh_token"], "refresh_token")
gone = client.introspect_token(meta["introspection_endpoint"], renewed["access_token"]).json()
assert gone == {"active": False}, gone
