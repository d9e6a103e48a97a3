package memcached

import "encoding/json"

// overlay sets on a value the fields that are set in another of its type, as a JSON document laid over it. Neither may
// hold what cannot be encoded; Kubernetes' own types do not.
func overlay[T any](on, given *T) *T {
	if given == nil {
		return on
	}
	document, err := json.Marshal(given)
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(document, on); err != nil {
		panic(err)
	}
	return on
}
