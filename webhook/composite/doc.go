// Package composite implements Metacontroller's protocol for composite controllers.
//
// Metacontroller watches a parent, POSTs the observed state (the parent, its children and the related objects) and applies
// the response: the desired children and the parent's status. This package decodes such a request into typed values, calls a
// pure function, checks its result and encodes it. It knows neither HTTP, nor clocks, nor any particular parent.
//
// Everything fails closed: Metacontroller deletes a child that is missing in the response, and `{}`, `null` and a missing
// list all decode without an error. An incomplete request is therefore refused, and a response is checked and encoded whole
// before its first byte is sent. An error changes nothing in the cluster. Only a request without the controller may be
// incomplete: Metacontroller always sends the controller.
//
// The protocol: https://metacontroller.github.io/metacontroller/api/compositecontroller.html
package composite
