// keeper.go URL FILE - clients/go as a peer of faults.mjs (see keepers.mjs): requests are lines of JSON on stdin, each in a
// goroutine of its own.
package main

import (
	"atrium"
	"bufio"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

type object = map[string]any

var (
	session *atrium.Session
	enough  atomic.Bool
	writing sync.Mutex
)

func ask(method, target string) (*http.Response, error) {
	request, err := http.NewRequest(method, target, nil)
	if err != nil {
		return nil, err
	}
	return session.Do(request)
}

func me() (int, error) {
	answer, err := ask("GET", os.Args[1]+"/auth/me")
	if err != nil {
		return 0, err
	}
	answer.Body.Close()
	return answer.StatusCode, nil
}

func state() any {
	if kept := session.State(); kept != nil {
		return object{"signedIn": true, "profile": kept.Profile}
	}
	return object{"signedIn": false}
}

func token(kept *atrium.Kept, err error) (any, error) {
	if kept == nil {
		return nil, err
	}
	return kept.Access, err
}

func renewAlways() (any, error) {
	renewals, wrong := 0, []string{}
	enough.Store(false)
	for kept, err := session.Current(""); !enough.Load() && len(wrong) < 20; {
		if err == nil && kept == nil {
			break
		}
		var next *atrium.Kept
		if next, err = session.Current(kept.Access); err != nil {
			wrong = append(wrong, err.Error())
			err = nil
			continue
		}
		kept = next
		if renewals++; renewals%20 == 0 {
			if status, _ := me(); status != 200 && status < 503 {
				wrong = append(wrong, "/auth/me")
			}
		}
	}
	return object{"renewals": renewals, "wrong": wrong, "state": state()}, nil
}

func run(what string, words []json.RawMessage) (any, error) {
	text := func(i int) (word string) {
		json.Unmarshal(words[i], &word)
		return
	}
	done := object{"next": "done"}
	switch what {
	case "signIn":
		return done, session.SignIn("Patient", "demo", text(0), text(1), func() string { return text(2) })
	case "register":
		var made atrium.Tokens
		err := session.Call("POST", "/auth/tenant/Patient/register", object{"email": text(0), "password": text(1),
			"name": "Ana", "surname": "Prova", "tenantCode": "demo"}, &made)
		if err == nil {
			err = session.Begin(made)
		}
		return done, err
	case "me":
		return me()
	case "state":
		return state(), nil
	case "renew":
		kept, err := session.Current("")
		if err != nil || kept == nil {
			return nil, err
		}
		return token(session.Current(kept.Access))
	case "renewAlways":
		return renewAlways()
	case "stop":
		enough.Store(true)
		return nil, nil
	case "logout":
		return session.Logout(), nil
	case "wake":
		return session.RevokePending(), nil
	case "enroll":
		var problem *atrium.Error
		err := session.Call("POST", "/auth/passkey/enroll/start", nil, nil)
		if errors.As(err, &problem) {
			return object{"status": problem.StatusCode, "code": problem.Code}, nil
		}
		return object{"status": 200}, err
	case "stepUp":
		return nil, session.Call("POST", "/auth/step-up", words[0], nil)
	case "fetch":
		_, err := ask("GET", text(0))
		return nil, err
	case "impatient":
		session.LockTime = time.Minute
		if string(words[0]) == "true" {
			session.LockTime = time.Second / 2
		}
		return nil, nil
	}
	return nil, errors.New(what)
}

func main() {
	session = atrium.New(os.Args[1], os.Args[2])
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var request struct {
			ID    int
			Do    string
			Words []json.RawMessage
		}
		json.Unmarshal(lines.Bytes(), &request)
		go func() {
			var problem *atrium.Error
			value, err := run(request.Do, request.Words)
			answer := object{"id": request.ID, "value": value}
			if errors.As(err, &problem) {
				answer["error"] = object{"name": "AtriumError", "status": problem.StatusCode, "requestId": problem.RequestID}
			} else if err != nil {
				answer["error"] = object{"name": err.Error()}
			}
			writing.Lock()
			json.NewEncoder(os.Stdout).Encode(answer)
			writing.Unlock()
		}()
	}
}
