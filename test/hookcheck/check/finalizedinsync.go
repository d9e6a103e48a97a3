package check

var finalizedInSync = Check{
	ID:    "finalized-in-sync",
	Looks: "responses of sync: they do not have finalized",
	Why:   "Metacontroller removes its finalizer after any response with finalized, adds it again at the next sync, and so on.",
	run: func(_ *Subject, e *exchange) []string {
		if e.Hook == "sync" && e.answer["finalized"] == true {
			return []string{"sync returns finalized"}
		}
		return nil
	},
}
