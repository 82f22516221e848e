package verify

import (
	"time"

	"acuse.dev/go/internal/note"
)

// window is from when until when a key or an authority is trusted: from ≤ t < until. Zero: no bound.
type window struct{ from, until time.Time }

func (w window) holds(at time.Time) bool {
	at = at.Truncate(time.Millisecond)
	return (w.from.IsZero() || !at.Before(w.from)) && (w.until.IsZero() || at.Before(w.until))
}

func readWindow(form object) window {
	const check = "trust"
	var w window
	if value, there := form["from"]; there {
		w.from = timeOf(value, check)
	}
	if value, there := form["until"]; there {
		w.until = timeOf(value, check)
		need(w.from.IsZero() || w.from.Before(w.until), check, "until is not after from")
	}
	return w
}

// pinnedKey is a key and when it is trusted: at the time of what it signed, as a time-stamp over that says.
type pinnedKey struct {
	note.Key
	window window
}

// trustedAt are the keys that were trusted then, each once; zero: all.
func trustedAt(keys []pinnedKey, at time.Time) []note.Key {
	var found []note.Key
	for _, key := range keys {
		if (at.IsZero() || key.window.holds(at)) && !contains(found, key.Key) {
			found = append(found, key.Key)
		}
	}
	return found
}

func contains(keys []note.Key, key note.Key) bool {
	for _, each := range keys {
		if each.Name == key.Name && each.Material == key.Material {
			return true
		}
	}
	return false
}

// timeOfToken is when the keys under a checkpoint must have been trusted: at the time of the token over it,
// which checks of its own verify; now, while there is none; zero for one that cannot be read, which those refuse.
func (b *bundle) timeOfToken(name string) time.Time {
	data, there := b.files[name]
	if !there {
		return b.now
	}
	var at time.Time
	attempt(func() { at = readToken(data, name).time })
	return at
}
