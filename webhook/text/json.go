package text

import (
	"fmt"
	"iter"
	"strings"
)

// CountInJSON returns how often any of the characters occurs in a valid JSON text, outside of its strings.
func CountInJSON[T ~string | ~[]byte](document T, characters string) (count int) {
	for character := range outsideStrings(document) {
		if strings.IndexByte(characters, character) >= 0 {
			count++
		}
	}
	return count
}

// MaxDepth is how many lists and objects of an object may be in each other. Real ones have about 15 levels. Each level takes stack when the object is
// decoded, compared, encoded and copied, which no limit of the heap counts.
const MaxDepth = 100

// ErrDeep reports that a part of a request has more than [MaxDepth] levels.
var ErrDeep = fmt.Errorf("has more than %d lists and objects in each other", MaxDepth)

// IsDeep reports whether more than [MaxDepth] lists and objects of a valid JSON text are in each other.
func IsDeep[T ~string | ~[]byte](document T) bool {
	depth := 0
	for character := range outsideStrings(document) {
		switch character {
		case '{', '[':
			if depth++; depth > MaxDepth {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// outsideStrings returns the bytes of a valid JSON text that are not in a string.
func outsideStrings[T ~string | ~[]byte](document T) iter.Seq[byte] {
	return func(yield func(byte) bool) {
		inString := false
		for i := 0; i < len(document); i++ {
			switch character := document[i]; {
			case character == '"':
				inString = !inString
			case inString && character == '\\':
				i++
			case !inString && !yield(character):
				return
			}
		}
	}
}
