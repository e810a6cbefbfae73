// verify reads what the audit routes answered, one JSON object a line, and holds it against Go's own
// implementations of signed notes and of transparency logs:
//
//	{"verifierKey":..., "checkpoint":..., "older":..., "consistency":[...],
//	 "proofs":[{"index":..., "record":..., "hashes":[...]}, ...]}
//	{"verifierKey":..., "receipt":...}
//
// It prints how many proofs are good, and ends with 1 at the first that is not; or at one that would
// be good for another record or another place.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type proof struct {
	Index  int64
	Record string
	Hashes []tlog.Hash
}

type line struct {
	VerifierKey, Checkpoint, Older, Receipt string
	Consistency                             []tlog.Hash
	Proofs                                  []proof
}

func check(err error, what string) {
	if err != nil {
		fmt.Fprintln(os.Stderr, what+":", err)
		os.Exit(1)
	}
}

// open returns the size and the root of a checkpoint whose signature is good.
func open(text, key string) (int64, tlog.Hash) {
	verifier, err := note.NewVerifier(key)
	check(err, "verifier key")
	opened, err := note.Open([]byte(text), note.VerifierList(verifier))
	check(err, "checkpoint")
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 3 || lines[0] != verifier.Name() || !strings.HasSuffix(lines[0], "/audit") {
		check(fmt.Errorf("%q", opened.Text), "checkpoint")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err, "size")
	root, err := tlog.ParseHash(lines[2])
	check(err, "root")
	altered := strings.Replace(text, "\n"+lines[1]+"\n", "\n"+lines[1]+"0\n", 1)
	if _, err := note.Open([]byte(altered), note.VerifierList(verifier)); err == nil {
		check(fmt.Errorf("an altered checkpoint is good"), "checkpoint")
	}
	return size, root
}

// signature is what the last line of a note has behind its name, decoded. The last character has two bits that base64
// does not use, and that Go's decoder does not look at.
func signature(text []byte) []byte {
	words := strings.Fields(string(text))
	decoded, err := base64.StdEncoding.DecodeString(words[len(words)-1])
	if err != nil {
		return nil
	}
	return decoded
}

// openReceipt holds the receipt of an erasure against its key: it is good, and no byte of it may be
// another.
func openReceipt(text, key string) {
	verifier, err := note.NewVerifier(key)
	check(err, "verifier key")
	opened, err := note.Open([]byte(text), note.VerifierList(verifier))
	check(err, "receipt")
	lines := strings.Split(opened.Text, "\n")
	var statement struct{ Complete bool }
	if len(lines) != 3 || lines[0] != verifier.Name() || !strings.HasSuffix(lines[0], "/erasure") ||
		json.Unmarshal([]byte(lines[1]), &statement) != nil || !statement.Complete {
		check(fmt.Errorf("%q", opened.Text), "receipt")
	}
	for i := range text {
		altered := []byte(text)
		altered[i] ^= 1
		ignored := i == len(text)-3 && bytes.Equal(signature(altered), signature([]byte(text)))
		if _, err := note.Open(altered, note.VerifierList(verifier)); err == nil && !ignored {
			check(fmt.Errorf("good with another byte %d", i), "receipt")
		}
	}
}

func main() {
	good := 0
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Buffer(nil, 1<<26)
	for scanner.Scan() {
		var in line
		check(json.Unmarshal(scanner.Bytes(), &in), "input")
		if in.Receipt != "" {
			openReceipt(in.Receipt, in.VerifierKey)
			good++
			continue
		}
		size, root := open(in.Checkpoint, in.VerifierKey)
		for _, p := range in.Proofs {
			leaf := tlog.RecordHash([]byte(p.Record))
			check(tlog.CheckRecord(p.Hashes, size, root, p.Index, leaf), fmt.Sprintf("record %d", p.Index))
			other := tlog.RecordHash([]byte(p.Record + " "))
			if tlog.CheckRecord(p.Hashes, size, root, p.Index, other) == nil ||
				(size > 1 && tlog.CheckRecord(p.Hashes, size, root, (p.Index+1)%size, leaf) == nil) {
				check(fmt.Errorf("good for something else"), fmt.Sprintf("record %d", p.Index))
			}
			good++
		}
		if in.Older != "" {
			older, before := open(in.Older, in.VerifierKey)
			check(tlog.CheckTree(in.Consistency, size, root, older, before), "consistency")
			before[0] ^= 1
			if tlog.CheckTree(in.Consistency, size, root, older, before) == nil {
				check(fmt.Errorf("good for another tree"), "consistency")
			}
			good++
		}
	}
	check(scanner.Err(), "input")
	fmt.Println(good, "good")
}
