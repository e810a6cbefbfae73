// An API that accepts Atrium's access tokens. It verifies them without a request to Atrium, and learns from a webhook
// which sessions have ended.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

var (
	started = time.Now().Unix()
	ended   sync.Map // ids of sessions
	lock    sync.Mutex
	keys    map[string]*ecdsa.PublicKey
	fetched time.Time
)

func part(text string) []byte      { bytes, _ := base64.RawURLEncoding.DecodeString(text); return bytes }
func number(bytes []byte) *big.Int { return new(big.Int).SetBytes(bytes) }

// Returns a public key. Operators rotate keys: an unknown key is looked up, at most every five seconds.
func keyOf(kid string) *ecdsa.PublicKey {
	lock.Lock()
	defer lock.Unlock()
	if age := time.Since(fetched); age > time.Hour || (keys[kid] == nil && age > 5*time.Second) {
		var set struct{ Keys []struct{ Kid, X, Y string } }
		fetched = time.Now()
		answer, err := http.Get(os.Getenv("ATRIUM_URL") + "/.well-known/jwks.json")
		if err == nil && json.NewDecoder(answer.Body).Decode(&set) == nil {
			keys = map[string]*ecdsa.PublicKey{}
			answer.Body.Close()
		}
		for _, key := range set.Keys {
			keys[key.Kid] = &ecdsa.PublicKey{Curve: elliptic.P256(), X: number(part(key.X)), Y: number(part(key.Y))}
		}
	}
	return keys[kid]
}

// Returns the profile of the person whose token it is; "" if the token is not valid. Tokens from before this program
// started are refused, since their sessions may have ended while it was away: clients refresh them.
func profileOf(token string) string {
	var head, claims struct {
		Alg, Kid, Sub, Sid, Iss, Aud string
		Exp, Iat                     int64
	}
	parts := append(strings.SplitN(token, ".", 3), "", "")
	signature, hash := part(parts[2]), sha256.Sum256([]byte(parts[0]+"."+parts[1]))
	json.Unmarshal(part(parts[0]), &head)
	key := keyOf(head.Kid)
	if key == nil || head.Alg != "ES256" || len(signature) != 64 ||
		!ecdsa.Verify(key, hash[:], number(signature[:32]), number(signature[32:])) {
		return ""
	}
	json.Unmarshal(part(parts[1]), &claims)
	if _, isEnded := ended.Load(claims.Sid); isEnded || claims.Iat < started || claims.Exp <= time.Now().Unix() ||
		claims.Iss != "atrium" || claims.Aud != "atrium" {
		return ""
	}
	return claims.Sub
}

// Takes an event (docs/webhooks.md) whose signature is right and which is not old.
func takeEvent(w http.ResponseWriter, r *http.Request) {
	var event struct {
		Type string
		Data struct{ Subject string }
	}
	body, _ := io.ReadAll(io.LimitReader(r.Body, 65536))
	sent, _ := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64)
	secret, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "%s.%d.%s", r.Header.Get("webhook-id"), sent, body)
	want, isOurs := "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)), false
	for _, each := range strings.Fields(r.Header.Get("webhook-signature")) {
		isOurs = isOurs || hmac.Equal([]byte(each), []byte(want))
	}
	if age := time.Now().Unix() - sent; !isOurs || age > 300 || age < -300 || json.Unmarshal(body, &event) != nil {
		http.Error(w, "refused", http.StatusBadRequest)
	} else if event.Type == "session.revoked" {
		ended.Store(strings.TrimPrefix(event.Data.Subject, "Session/"), true)
	}
}

func hello(w http.ResponseWriter, r *http.Request) {
	if profile := profileOf(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")); profile != "" {
		fmt.Fprintln(w, "Hello", profile)
	} else {
		http.Error(w, "sign in", http.StatusUnauthorized)
	}
}

func main() {
	http.DefaultClient.Timeout = 5 * time.Second
	http.HandleFunc("/events", takeEvent)
	http.HandleFunc("/hello", hello)
	fmt.Println("ready")
	log.Fatal(http.ListenAndServeTLS(os.Getenv("LISTEN"), "cert.pem", "key.pem", nil))
}
