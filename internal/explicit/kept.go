package explicit

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"sync"
)

// What the check of the visited set found so far stands beside the checkpoint of a finished search, so that a later
// run goes on with it. It counts for the same states in the same order, and if the very same program wrote it:
// another one may check otherwise.

// kept is the file with it.
type kept struct {
	file   string
	states int
	sum    uint32 // of the states
}

// Checked implements evidence.Kept.
func (c *closure) Checked() []byte {
	if c.kept != nil {
		if note, ok := readNote(c.kept.file, c.kept.digest); ok {
			return note
		}
	}
	return nil
}

// Keep implements evidence.Kept.
func (c *closure) Keep(note []byte) {
	switch {
	case c.kept == nil:
	case note == nil:
		os.Remove(c.kept.file)
	default:
		writeNote(c.kept.file, c.kept.digest, note)
	}
}

// digest is of all that a note counts for, and of the note.
func (k *kept) digest(note []byte) (string, error) {
	program, err := programDigest()
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%x %d %d %s", program, k.states, k.sum, note))), err
}

// programDigest is of the program that runs.
var programDigest = sync.OnceValues(func() ([]byte, error) {
	name, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return h.Sum(nil), err
})
