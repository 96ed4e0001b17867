package main

import (
	"encoding/json"
	"unicode/utf8"
)

// text is a Go string on its way into JSON: a JSON string where it is UTF-8, otherwise {"bytes": base64}.
type text string

func (t text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(struct {
		Bytes []byte `json:"bytes"`
	}{[]byte(t)})
}

func texts(values []string) []text {
	converted := make([]text, len(values))
	for i, value := range values {
		converted[i] = text(value)
	}
	return converted
}
