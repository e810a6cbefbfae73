// Package atrium is Atrium for Go programs: sign-in, and one session that all processes of a machine share. The file of a
// session is the only place of its tokens. Each request reads it, so a process never sends a token that another process
// has replaced. One process at a time refreshes, under a lock, and reads the file again once it has the lock.
package atrium

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Error is a request that failed: Status and Code are for programs, Message is for people.
type Error struct {
	StatusCode               int // 0: there was no answer
	Code, Message, RequestID string
	RetryAfter               time.Duration
	isOver                   bool // the token is no longer valid, as Atrium says, not a proxy
}

func (e *Error) Error() string { return e.Message }

// Session is one sign-in, in a file for all processes. One that hangs with the lock is passed over after LockTime.
type Session struct {
	LockTime  time.Duration
	HTTP      http.Client
	url, path string
}

// Kept is what the file has of a sign-in.
type Kept struct {
	Begun, At        time.Time // when the session and the access token came, by this machine's clock
	Project, Profile string
	Access           string  `json:"access_token"`
	Refresh          string  `json:"refresh_token"`
	ExpiresIn        float64 `json:"expires_in"` // seconds
}

type file struct {
	Session *Kept            // nil: signed out
	Revoke  map[string]*Kept // by refresh token: signed out, and can still be active
}

// Tokens are what a registration returned, and each step of a sign-in.
type Tokens struct {
	NextStep, LoginID, SessionCode, AccessToken, RefreshToken string
	ExpiresIn                                                 float64
	Project, Profile                                          struct{ Reference string }
}

// New returns the session that the file at path stores, at the installation with this URL.
func New(url, path string) *Session {
	return &Session{time.Minute, http.Client{Timeout: 30 * time.Second}, strings.TrimRight(url, "/"), path}
}

// State returns the sign-in that the file has; nil: nobody is signed in.
func (s *Session) State() *Kept { return s.read().Session }

// SignIn signs a "Patient" or "Practitioner" in. code returns the code of a second factor, if one is needed.
func (s *Session) SignIn(role, tenantCode, email, password string, code func() string) error {
	var step Tokens
	at, random := "/auth/tenant/"+role+"/login", make([]byte, 32)
	_, err := rand.Read(random)
	verifier := base64.RawURLEncoding.EncodeToString(random)
	hash := sha256.Sum256([]byte(verifier))
	next := func(path string, body map[string]string) {
		if err == nil {
			err = s.call(s.HTTP.Do, "POST", at+path, body, &step)
		}
	}
	next("/start", map[string]string{"email": email, "password": password, "tenantCode": tenantCode,
		"codeChallenge": base64.RawURLEncoding.EncodeToString(hash[:])})
	if step.NextStep == "mfa" {
		next("/mfa", map[string]string{"loginId": step.LoginID, "mfaToken": code()})
	}
	next("/token", map[string]string{"sessionCode": step.SessionCode, "codeVerifier": verifier, "tenantCode": tenantCode})
	if err != nil {
		return err
	}
	return s.Begin(step)
}

// Begin stores the tokens that a sign-in or a registration returned.
func (s *Session) Begin(t Tokens) error {
	return s.change(func(all *file) {
		all.Session = &Kept{time.Now(), time.Now(), t.Project.Reference, t.Profile.Reference, t.AccessToken,
			t.RefreshToken, t.ExpiresIn}
	})
}

// Logout forgets the tokens immediately and ends the session. False: the service was away; RevokePending tries it again.
func (s *Session) Logout() bool {
	err := s.change(func(all *file) {
		if all.Session != nil {
			all.Revoke[all.Session.Refresh], all.Session = all.Session, nil
		}
	})
	return s.RevokePending() && err == nil
}

// RevokePending ends sessions whose Logout could not reach the service. It reports whether none is left.
func (s *Session) RevokePending() bool {
	for token, ended := range s.read().Revoke {
		if s.end(ended) {
			s.change(func(all *file) { delete(all.Revoke, token) })
		}
	}
	return len(s.read().Revoke) == 0
}

// Call sends a request with a JSON body (nil: none) and decodes the response into value (nil: ignores it).
func (s *Session) Call(method, path string, body, value any) error {
	return s.call(s.Do, method, path, body, value)
}

// Do sends a request with the access token; only URLs of the installation get it. After a 401, it refreshes the token and
// repeats the request once, but not one without GetBody, and never as another person who has signed in meanwhile.
func (s *Session) Do(request *http.Request) (*http.Response, error) {
	if !strings.HasPrefix(request.URL.String(), s.url+"/") {
		return s.HTTP.Do(request)
	}
	kept, err := s.Current("")
	if err != nil {
		return nil, err
	}
	answer, err := s.send(request, kept)
	isRepeatable := request.Body == nil || request.GetBody != nil
	if err != nil || kept == nil || answer.StatusCode != 401 || !isRepeatable || !problemOf(answer).isOver {
		return answer, err
	}
	next, err := s.Current(kept.Access)
	if err != nil || next == nil || !next.Begun.Equal(kept.Begun) {
		return answer, err
	}
	return s.send(request, next)
}

func (s *Session) read() file {
	all := file{Revoke: map[string]*Kept{}}
	text, _ := os.ReadFile(s.path)
	_ = json.Unmarshal(text, &all) // a file that is damaged is no session
	return all
}

// Replaces the file in one step, on disk before this returns: a token that a crash takes back would be used twice.
func (s *Session) change(change func(*file)) error {
	defer s.lock(".lock", func() bool { return false })()
	all := s.read()
	change(&all)
	text, _ := json.Marshal(all)
	out, err := os.OpenFile(s.path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_SYNC, 0o600)
	if err == nil {
		_, err = out.Write(text)
		out.Close()
	}
	if err == nil {
		err = os.Rename(s.path+".new", s.path)
	}
	if folder, failed := os.Open(filepath.Dir(s.path)); failed == nil {
		folder.Sync()
		folder.Close()
	}
	return err
}

// Holds a lock among processes and goroutines, unless isDone or another process has hung.
func (s *Session) lock(name string, isDone func() bool) (release func()) {
	until := time.Now().Add(s.LockTime)
	file, err := os.OpenFile(s.path+name, os.O_WRONLY|os.O_CREATE, 0o600)
	for err == nil && syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil &&
		time.Now().Before(until) && !isDone() {
		time.Sleep(20 * time.Millisecond)
	}
	return func() { file.Close() }
}

// Current returns the session with an access token that is valid for another minute; nil if signed out. refused is a
// token that the service rejected: it is refreshed, unless another process has done so.
func (s *Session) Current(refused string) (*Kept, error) {
	isGood := func(kept *Kept) bool { // a clock that was set back refreshes
		return kept == nil || (kept.Access != refused && time.Since(kept.At) >= 0 &&
			time.Since(kept.At).Seconds() < kept.ExpiresIn*0.98)
	}
	kept := s.State()
	if !isGood(kept) {
		defer s.lock(".refresh", func() bool { return isGood(s.State()) })()
		if kept = s.State(); !isGood(kept) { // otherwise another process has refreshed it meanwhile
			return s.refresh(kept)
		}
	}
	return kept, nil
}

// Retries with the same token while the outcome is unknown. Only authd's own 401 ends the session.
func (s *Session) refresh(kept *Kept) (*Kept, error) {
	until := time.Now().Add(45 * time.Second) // the service accepts the same token for 120 s
	for pause := 100 * time.Millisecond; ; pause *= 2 {
		next, problem := s.exchange(kept)
		if problem == nil || problem.isOver {
			err := s.change(func(all *file) {
				if all.Session != nil && all.Session.Refresh == kept.Refresh {
					all.Session = next
				}
			})
			return s.State(), err
		}
		if at := s.State(); at == nil || at.Refresh != kept.Refresh {
			return at, nil // a logout, or another sign-in
		}
		isFinal := problem.StatusCode > 0 && problem.StatusCode != 429 && problem.StatusCode < 500
		if isFinal || time.Now().Add(pause+problem.RetryAfter).After(until) {
			return nil, problem // still signed in: the next request tries again
		}
		time.Sleep(pause + problem.RetryAfter)
	}
}

// Returns the session with new tokens; nil if there are none.
func (s *Session) exchange(kept *Kept) (*Kept, *Error) {
	next := &Kept{Begun: kept.Begun, At: time.Now(), Project: kept.Project, Profile: kept.Profile}
	body := map[string]string{"refresh_token": kept.Refresh}
	if err := s.call(s.HTTP.Do, "POST", "/auth/refresh-token", body, next); err != nil {
		return nil, err.(*Error)
	} else if next.Access == "" || next.Refresh == "" {
		return nil, &Error{Message: "no tokens came"}
	}
	return next, nil
}

// Ends a session with its access token or, if that has expired, with a new one.
func (s *Session) end(kept *Kept) bool {
	for {
		send := func(request *http.Request) (*http.Response, error) { return s.send(request, kept) }
		problem, _ := s.call(send, "POST", "/auth/logout", nil, nil).(*Error)
		if problem == nil || !problem.isOver {
			return problem == nil
		}
		if kept, problem = s.exchange(kept); problem != nil {
			return problem.isOver
		}
	}
}

func (s *Session) send(request *http.Request, kept *Kept) (*http.Response, error) {
	request = request.Clone(request.Context())
	if request.GetBody != nil {
		request.Body, _ = request.GetBody()
	}
	if kept != nil {
		request.Header.Set("Authorization", "Bearer "+kept.Access)
	}
	return s.HTTP.Do(request)
}

func (s *Session) call(do func(*http.Request) (*http.Response, error), method, path string, body, value any) error {
	var text []byte
	if body != nil {
		text, _ = json.Marshal(body)
	}
	var answer *http.Response
	request, err := http.NewRequest(method, s.url+path, bytes.NewReader(text))
	if err == nil {
		request.Header.Set("Content-Type", "application/json")
		answer, err = do(request)
	}
	if err == nil {
		defer answer.Body.Close()
		if answer.StatusCode >= 300 {
			err = problemOf(answer)
		} else if value != nil {
			err = json.NewDecoder(answer.Body).Decode(value)
		}
	}
	if _, known := err.(*Error); err != nil && !known {
		return &Error{Message: err.Error()}
	}
	return err
}

// Reads the body of an error, which can be read again.
func problemOf(answer *http.Response) *Error {
	text, _ := io.ReadAll(answer.Body)
	answer.Body.Close()
	answer.Body = io.NopCloser(bytes.NewReader(text))
	problem := &Error{Message: string(text)}
	_ = json.Unmarshal(text, problem) // a 422 has no message but a list of problems
	problem.isOver = answer.StatusCode == 401 && problem.StatusCode == 401 && problem.Code == ""
	problem.StatusCode = answer.StatusCode
	problem.RequestID = answer.Header.Get("X-Request-Id")
	problem.RetryAfter, _ = time.ParseDuration(answer.Header.Get("Retry-After") + "s")
	return problem
}
