-- Commands of clients, what one memcached does with them, and whether a history is one that it could have.
local history = {}

local function unchanged(outcome)
    return function(state)
        return state and outcome or nil, state
    end
end

-- COMMANDS has for each command its line, the outcome HD stands for, and what it does: a function of the state (the value, nil
-- if the item is missing), the new value, and the value that the client read before. It returns the outcome, nil for a missing
-- item, and the next state.
local function shown(state) return (state:gsub("'", "")) end -- md with I adds a quote: the same value with another CAS unique
local function read(state) return state and "=" .. shown(state), state end
local function store(_, value) return "STORED", value end
local function add(state, value)
    return state and "NOT_STORED" or "STORED", state or value
end
local function replace(state, value) return state and "STORED", state and value end
local function append(state, value) return state and "STORED", state and shown(state) .. value end
local function prepend(state, value) return state and "STORED", state and value .. shown(state) end
local function plus(delta, initial)
    return function(state)
        if state and not tonumber(shown(state)) then
            return "CLIENT_ERROR", state -- what mg with N has created is empty
        end
        local number = initial
        if state then
            number = tostring(tonumber(shown(state)) + delta)
        end
        return number, number
    end
end
-- A command with a CAS unique has two outcomes for what md with x has cleared, because memcached keeps the CAS unique, and a proxy does not.
-- The third result is the state after the other one, or false if the item is missing then.
local function cas(state, value, known)
    return state and (state == known and "STORED" or "EXISTS"), state == known and value or state, state == "" and value or nil
end
local function delete(state) return state and "DELETED", nil end

local COMMANDS <const> = {
    get = { "get k", run = read },
    gets = { "gets k", run = read },
    gat = { "gat 0 k", run = read },
    gats = { "gats 0 k", run = read },
    touch = { "touch k 0", run = unchanged("TOUCHED") },
    set = { "set k 0 0 %d", run = store },
    add = { "add k 0 0 %d", run = add, missing = "STORED" },
    replace = { "replace k 0 0 %d", run = replace, missing = "NOT_STORED" },
    append = { "append k 0 0 %d", run = append, missing = "NOT_STORED" },
    prepend = { "prepend k 0 0 %d", run = prepend, missing = "NOT_STORED" },
    incr = { "incr k 1000", run = plus(1000) },
    decr = { "decr k 1", run = plus(-1) },
    cas = { "cas k 0 0 %d {unique}", run = cas },
    delete = { "delete k", run = delete },
    mg = { "mg k v", run = read },
    ["mg without v"] = { "mg k", hd = "HIT", run = unchanged("HIT") },
    ["mg with c"] = { "mg k c v", run = read },
    ["mg with T"] = { "mg k v T0", run = read },
    ["mg with N"] = { "mg k v N0", run = function(state) return "=" .. shown(state or ""), state or "" end },
    ["mg with N and T"] = { "mg k v N0 T0", run = function(state) return "=" .. shown(state or ""), state or "" end },
    ms = { "ms k %d", hd = "STORED", run = store },
    ["ms with C"] = { "ms k %d C{unique}", hd = "STORED", run = cas },
    ["ms in mode E"] = { "ms k %d ME", hd = "STORED", run = add },
    ["ms in mode A"] = { "ms k %d MA", hd = "STORED", run = append, missing = "NOT_STORED" },
    ["ms in mode R"] = { "ms k %d MR", hd = "STORED", run = replace, missing = "NOT_STORED" },
    ["ms with q"] = { "ms k %d q", quiet = "STORED", run = store },
    ma = { "ma k v D1000", run = plus(1000) },
    ["ma with N"] = { "ma k v D1000 N0 J3", run = plus(1000, "3") },
    md = { "md k", hd = "DELETED", run = delete },
    ["md with q"] = { "md k q", quiet = "DELETED", run = delete },
    ["md with C"] = { "md k C{unique}", hd = "DELETED", run = function(state, _, known)
        local other = nil
        if state == "" then
            other = false
        end
        return state and (state == known and "DELETED" or "EXISTS"), state ~= known and state or nil, other
    end },
    ["md with x"] = { "md k x", hd = "CLEARED", run = function(state) return state and "CLEARED", state and "" end },
    ["md with I"] = { "md k I", hd = "STALE", run = function(state) return state and "STALE", state and state .. "'" end },
    copy = { "mg k u c Omemcached-operator-copy", hd = "HIT", run = unchanged("HIT") },
    -- A server loses the item, if it decides.
    loss = { run = function() return "LOST", nil end },
    ["set noreply"] = { "set k 0 0 %d noreply", quiet = true, run = store },
    ["append noreply"] = { "append k 0 0 %d noreply", quiet = true, run = append },
    ["delete noreply"] = { "delete k noreply", quiet = true, run = delete },
}

-- request returns the request of a command with a value and with the CAS unique that the client knows.
function history.request(name, value, unique)
    local line = assert(COMMANDS[name], name)[1]:gsub("%%d", tostring(#value)):gsub("{unique}", unique)
    return mcp.request(line .. "\r\n", value .. "\r\n")
end

local WORDS <const> = { NF = "NOT_FOUND", NS = "NOT_STORED", EX = "EXISTS", EN = "END" }

-- outcome returns what a response says, the same for the text and meta protocols, and the CAS unique that it shows.
function history.outcome(name, text)
    local word, rest, value = text:match("^(%S+) ?(.-)\r\n(.-)\r\n")
    if word == "VA" and not name:find("^ma") or word == "VALUE" then
        return "=" .. value, word == "VALUE" and rest:match("^%S+ %d+ %d+ (%d+)") or (" " .. rest):match(" c(%d+)")
    elseif word == "VA" then
        return value
    end
    word = text:match("^[%w_]*")
    return word == "HD" and COMMANDS[name].hd or WORDS[word] or word
end

local function says(command, outcome, want)
    if command.quiet == true then
        return outcome == ""
    end
    if want == nil then
        want = command.missing or (command.run == read or (command[1] or ""):find("^mg")) and "END" or "NOT_FOUND"
    end
    return outcome == (want == command.quiet and "" or want)
end

-- possible reports whether operations with their times could be those of one server with this initial value. An operation that follows another
-- one of its connection takes effect after it. One that crashed may have been executed or not. With loses, the server may lose the item, with misses a command may also not find an item that remains, and with refuses a command with a CAS
-- unique may find another one. A read that a server did not respond to may be a miss.
local function possible(operations, initial, loses, misses, refuses)
    local done, left, set, failed = {}, #operations, 0, {}
    -- follows reports whether the commands that an operation follows have taken effect, if they do.
    local function follows(o)
        while operations[o.follows] do
            if not done[o.follows] and not operations[o.follows].crashed then return false end
            o = operations[o.follows]
        end
        return true
    end
    local function continue(state)
        local key = set .. ":" .. (state or " ")
        if left == 0 then
            return true
        elseif failed[key] then
            return false
        end
        failed[key] = true -- unless one of the following returns true
        local earliest = math.huge
        for i, o in ipairs(operations) do
            if not done[i] then
                earliest = math.min(earliest, o.stop)
            end
        end
        local function try(i, state)
            done[i], left, set = true, left - 1, set | 1 << i
            local found = continue(state)
            done[i], left, set = nil, left + 1, set & ~(1 << i)
            return found
        end
        for i, o in ipairs(operations) do
            if not done[i] and o.start < earliest and follows(o) then
                local command = COMMANDS[o.name]
                local unread = o.unreached and (command.run == read or command[1]:find("^mg")) and says(command, o.outcome, nil)
                if unread and try(i, state) then
                    return true
                end
                for _, before in ipairs(loses and state and { state, false } or { state or false }) do
                    local outcome, after, also = command.run(before or nil, o.value, o.known)
                    if o.crashed then
                        if try(i, after) or try(i, before or nil) then
                            return true
                        end
                    elseif says(command, o.outcome, outcome) then
                        if try(i, after) or misses and not before and try(i, state) then
                            return true
                        end
                    end
                    if also ~= nil and says(command, o.outcome, command.hd or "STORED") and try(i, also or nil) then
                        return true
                    end
                    local refused = o.outcome == "SERVER_ERROR" or refuses and o.outcome == "EXISTS"
                    if refused and try(i, before or nil) then
                        return true
                    end
                end
            end
        end
        return false
    end
    return continue(initial)
end

-- verdict returns ok, or what a history needs that one server does not do.
function history.verdict(operations, initial)
    if possible(operations, initial) then
        return "ok"
    elseif possible(operations, initial, false, false, true) then
        return "refused"
    elseif possible(operations, initial, true, false, true) then
        return "lost"
    elseif possible(operations, initial, true, true, true) then
        return "missed"
    end
    return "old value"
end

return history
