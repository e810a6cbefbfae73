/* Passkeys on the hosted pages. Everything else works without this. A page with passkeys has
 *
 *   form#passkey           data-do "get", "conditional" (also a list at the address field) or
 *                          "create"; the step's fields, and `credential`
 *   #passkey-options       JSON: {options: the JSON of navigator.credentials' publicKey}
 *   #passkey-wrong         shown if the browser gave none
 *
 * If the browser has passkeys, the form is shown, and sent with its answer. This file is part
 * of the page, so it must not contain "less than". */
(function () {
    "use strict";
    var form = document.getElementById("passkey"), abort = null, make, options;

    function bytes(text) {
        return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), function (c) {
            return c.charCodeAt(0);
        });
    }
    function text(buffer) {
        if (!buffer) return undefined;
        return btoa(String.fromCharCode.apply(null, new Uint8Array(buffer)))
            .replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
    }
    function decode(list) {
        (list || []).forEach(function (item) {
            item.id = bytes(item.id);
        });
    }
    function send(credential) {
        var from = credential.response, response = {clientDataJSON: text(from.clientDataJSON)};

        if (make) {
            response.attestationObject = text(from.attestationObject);
        } else {
            response.authenticatorData = text(from.authenticatorData);
            response.signature = text(from.signature);
            response.userHandle = text(from.userHandle);
        }
        form.elements.credential.value = JSON.stringify({
            type: credential.type, id: credential.id, response: response});
        form.submit();
    }
    function ask(conditional) {
        var wish;

        if (abort) abort.abort();
        abort = new AbortController();
        wish = {publicKey: options, signal: abort.signal};
        if (conditional) wish.mediation = "conditional";
        (make ? navigator.credentials.create(wish) : navigator.credentials.get(wish))
            .then(send, function (error) {
                if (!conditional) document.getElementById("passkey-wrong").hidden = false;
            });
    }

    if (!form || !window.PublicKeyCredential) return;
    options = JSON.parse(JSON.parse(document.getElementById("passkey-options").textContent).options);
    make = form.dataset.do === "create";
    options.challenge = bytes(options.challenge);
    if (options.user) options.user.id = bytes(options.user.id);
    decode(options.allowCredentials);
    decode(options.excludeCredentials);
    form.hidden = false;
    form.addEventListener("submit", function (event) {
        event.preventDefault();
        document.getElementById("passkey-wrong").hidden = true;
        ask(false);
    });
    if (form.dataset.do === "conditional" && PublicKeyCredential.isConditionalMediationAvailable)
        PublicKeyCredential.isConditionalMediationAvailable().then(function (yes) {
            if (yes) ask(true);
        });
})();
