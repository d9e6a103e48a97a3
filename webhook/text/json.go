package text

import "strings"

// CountInJSON returns how often any of the characters occurs in a valid JSON text, outside of its strings.
func CountInJSON[T ~string | ~[]byte](document T, characters string) int {
	count, inString := 0, false
	for i := 0; i < len(document); i++ {
		switch character := document[i]; {
		case character == '"':
			inString = !inString
		case inString && character == '\\':
			i++
		case !inString && strings.IndexByte(characters, character) >= 0:
			count++
		}
	}
	return count
}

// DepthOfJSON returns how many lists and objects of a valid JSON text are in each other at most.
func DepthOfJSON(document string) (deepest int) {
	depth, inString := 0, false
	for i := 0; i < len(document); i++ {
		switch character := document[i]; {
		case character == '"':
			inString = !inString
		case inString && character == '\\':
			i++
		case inString:
		case character == '{', character == '[':
			depth++
			deepest = max(deepest, depth)
		case character == '}', character == ']':
			depth--
		}
	}
	return deepest
}
