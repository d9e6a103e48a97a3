package observed

import (
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxMessage is the length of a JSON string in bytes up to which it is read as a message. Kubelets write at most 4 KiB of a container's output,
// and the scheduler a line for each reason, but the API server accepts more than a megabyte.
const maxMessage = 64 << 10

// Message is a text of the kubelet, a controller or a container; "" if it is too long.
type Message string

// UnmarshalJSONFrom reads a message.
func (m *Message) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	raw, err := decoder.ReadValue()
	if err != nil || len(raw) > maxMessage {
		return err
	}
	return jsonv2.Unmarshal(raw, (*string)(m), decoder.Options())
}
