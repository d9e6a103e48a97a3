// Package composite speaks Metacontroller's protocol for composite controllers.
//
// Metacontroller watches a parent, POSTs what it observed (the parent, the children it owns, the related objects that
// were asked for) and applies what comes back: the children that should exist and the parent's status. This package
// turns such a request into typed values, calls a pure function, checks its answer and encodes it. It knows nothing of
// HTTP, clocks or any particular parent.
//
// Everything fails closed. To Metacontroller an answer without a child is an order to delete that child, and `{}`,
// `null` and a missing list all decode without a complaint. So a request that is not whole is refused, and an answer is
// checked and encoded whole before anybody sees a byte of it; an error changes nothing in the cluster.
//
// The protocol: https://metacontroller.github.io/metacontroller/api/compositecontroller.html
package composite
