//go:build go1.25

package bubble

import (
	"testing"
	"testing/synctest"
)

func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { synctest.Wait() })
}

func TestOther(t *testing.T) {}
