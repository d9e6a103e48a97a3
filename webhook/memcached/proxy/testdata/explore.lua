-- lua5.4 explore.lua LIBRARY DIRECTORY MORE PAIR...
-- Explores pairs of phases that can serve at the same time, with the real library.lua. Prints a line for each class of
-- histories: pair, scenario, verdict and count, and the first one of a class that is not ok. MORE is "more" for all commands with faults.
collectgarbage("generational")
DIRECTORY = arg[2]
local cases = dofile(DIRECTORY .. "cases.lua")
local schedules, script, pipeline = cases.schedules, cases.script, cases.pipeline
cases.load(arg[1])
local more = arg[3] == "more"

local OTHERS <const> = { "get", "set", "delete" }
local FEW <const> = { "get", "set", "append", "delete" }
local CORE <const> = { "get", "gat", "set", "add", "append", "cas", "delete" }
local ALL <const> = { "get", "gat", "set", "add", "append", "cas", "delete", "gets", "gats", "touch", "replace", "prepend", "incr", "decr",
    "mg", "mg without v", "mg with c", "mg with T", "ms", "ms with C", "ms in mode E", "ms in mode A", "ms in mode R", "ms with q", "ma",
    "ma with N", "md", "md with q", "md with C", "md with x", "set noreply", "append noreply", "delete noreply" }
-- RECACHE has commands whose item waits for a client that stores it again. It does not move before.
local RECACHE <const> = { "mg with N", "mg with N and T", "md with I" }
-- TWICE has what one client sends after each other: it sees its own commands, and uses the CAS unique that it has read.
local TWICE <const> = { { "gets", "cas" }, { "set", "get" }, { "delete", "get" }, { "set", "delete" } }
-- AT_ONCE has what one client sends without waiting for the first response. FAULTY is what is explored with faults.
local AT_ONCE <const> = { { "set", "get" }, { "set noreply", "gets" }, { "delete", "get" }, { "set", "delete" }, { "delete noreply", "add" }, { "ms with q", "ms" },
    { "get", "set" }, { "get", "get" }, { "gets", "get" }, { "gat", "delete" }, { "append", "get" } }
local THREE_AT_ONCE <const> = { { "set", "delete", "get" }, { "get", "set", "get" }, { "set", "get", "set" }, { "set", "get", "get" } }
local FAULTY <const> = { { "set", "get" }, { "delete", "set" } }
-- THREE has what three clients send, the last two to proxies in the second phase, and BASIC what replaces it with more.
local THREE <const> = { { "get", "set", "delete" }, { "delete", "append", "get" }, { "set", "get", "get" } }
local BASIC <const> = { "get", "append", "delete", "set" }
-- FAULTS are those of schedules.lua, in a change of one place and in the change back. A server that starts again differs from one that
-- evicts the item by its CAS uniques alone.
local FAULTS <const> = { "from loses", "to loses", "from gone", "to gone", "partition", "pause", "timeout", "crash",
    more and "from restarts" or nil, more and "to restarts" or nil }

local GROWTH <const>, SLOT <const>, BOTH <const>, EACH <const> = { "growth" }, { "slot" }, { "growth", "shrink" }, { "growth", "shrink", "slot", "all" }

local found, order = {}, {}

-- count counts a run by its class.
local function count(class, run, verdict)
    for _, operation in ipairs(run.operations) do
        if operation.outcome == "SERVER_ERROR" and not operation.crashed and not operation.unreached then
            verdict = "busy"
        end
    end
    if run.copies then
        verdict = verdict == "ok" and "two copies" or verdict .. " and two copies"
    end
    if class:find("not cleaned") and verdict ~= "ok" then
        verdict = "old value"
    end
    local name = class .. "\t" .. verdict
    if not found[name] then
        found[name] = { count = 0, run = run }
        order[#order + 1] = name
    end
    found[name].count = found[name].count + 1
end

-- explore runs all schedules of clients with an item at a place.
local function explore(class, directions, place, clients, fault, leaves)
    for _, direction in ipairs(directions) do
        local case = cases.new(direction, place, clients, leaves)
        case.fault, case.returns = fault, more
        schedules.each(case, function(run, verdict) count(class, run, verdict) end)
    end
end

-- each calls visit with each command of one list for the first phase, and each of another one for the second phase.
local function each(firsts, seconds, visit)
    for _, a in ipairs(firsts) do
        for _, b in ipairs(seconds) do
            visit(a, b)
        end
    end
end

-- exploreFaults explores one fault of each kind.
local function exploreFaults(pair, first, second, place)
    for _, fault in ipairs(FAULTS) do
        local function two(a, ...) explore(pair .. "\t" .. fault, SLOT, place, { script(first, a), script(second, ...) }, fault) end
        each(more and ALL or { "get", "set", "append" }, more and CORE or OTHERS, two)
        for _, a in ipairs(more and CORE or { "get" }) do
            two(a, "set", "delete") -- nothing that is late must bring back what another proxy has moved and deleted
            two(a, "gets", "cas")
        end
        each(more and AT_ONCE or FAULTY, more and OTHERS or { "get" }, function(a, b)
            explore(pair .. "\t" .. fault, SLOT, place, { pipeline(first, table.unpack(a)), script(second, b) }, fault)
        end)
    end
end

-- explorePlace explores two phases that can serve while the item is at a place.
local function explorePlace(pair, first, second, place)
    local class = pair .. "\tno fault"
    local closes = second == "closing" or first == "closing"
    local function two(a, b) return { script(first, a), script(second, b) } end
    each(ALL, more and ALL or OTHERS, function(a, b) explore(class, more and EACH or GROWTH, place, two(a, b)) end)
    each(FEW, FEW, function(a, b) explore(class, { "shrink" }, place, two(a, b)) end)
    each(OTHERS, OTHERS, function(a, b) explore(class, { "slot", "all" }, place, two(a, b)) end)
    each(more and CORE or FEW, TWICE, function(a, b) explore(class, more and BOTH or GROWTH, place, { script(first, a), script(second, table.unpack(b)) }) end)
    each(THREE_AT_ONCE, more and OTHERS or { "get" }, function(a, b)
        explore(class, SLOT, place, { pipeline(first, table.unpack(a)), script(second, b) })
    end)
    each(AT_ONCE, OTHERS, function(a, b)
        explore(class, more and EACH or SLOT, place, { pipeline(first, table.unpack(a)), script(second, b) })
    end)
    if not closes then
        each(RECACHE, CORE, function(a, b) explore(class, BOTH, place, two(a, b), nil, "stays") end)
    end
    local function three(a, b, c) explore(class, GROWTH, place, { script(first, a), script(second, b), script(second, c) }) end
    if place == "from" and second == "warming" then -- two reads at once, while another proxy moves the item and a third one changes it
        each({ "gets" }, { "set", "delete" }, function(a, b)
            explore(class, SLOT, place, { pipeline(first, a, "get"), script("warming", "get"), script("warming", b) })
        end)
    end
    for _, commands in ipairs(more and {} or THREE) do
        three(table.unpack(commands))
    end
    each(more and BASIC or {}, BASIC, function(a, b)
        for _, c in ipairs(BASIC) do
            three(a, b, c)
        end
    end)
    exploreFaults(pair, first, second, place)
end

-- explorePair explores two phases, and what is not seen or lost on purpose.
local function explorePair(pair, first, second)
    for _, place in ipairs(pair.places) do
        explorePlace(pair.name, first, second, place)
    end
    local closes = second == "closing" or first == "closing"
    each(FEW, FEW, function(a, b)
        local clients = { script(first, a), script(second, b) }
        if closes and first ~= "after" and second ~= "after" then
            explore(pair.name .. "\tunmoved", BOTH, "from", clients, nil, "leaves")
        end
        if first == "preparing" or second == "preparing" then
            explore(pair.name .. "\tnot cleaned", BOTH, "old to", clients, nil, "leaves")
        end
    end)
    for _, a in ipairs(first == "warming" and closes and FEW or {}) do
        explore(pair.name .. "\trecache", BOTH, "none", { script(first, "mg with N"), script(second, a) })
        explore(pair.name .. "\trecache", BOTH, "from", { script(first, "md with I", "get"), script(second, a) })
    end
end

local function write(...)
    io.write(table.concat({ ... }, "\t"), "\n")
end

for _, pair in ipairs(cases.PAIRS) do
    pair.name = pair[1] .. "+" .. pair[2]
    for i = 4, #arg do
        if arg[i] == pair.name then
            explorePair(pair, pair[1], pair[2])
            if pair[1] ~= pair[2] then
                explorePair(pair, pair[2], pair[1])
            end
        end
    end
end
for _, name in ipairs(order) do
    local class = found[name]
    write(name, class.count)
    if not name:find("\tok$") then
        for _, e in ipairs(schedules.trace(class.run)) do
            if not e.request then
                write("", e.client .. " ends")
            elseif not e.operation.phase:find("^back ") then -- of the change back, only what clients see
                write("", ("%s %s %s: %s -> %s %s"):format(e.client, e.operation.phase, e.operation.name, e.request:raw_line(), e.server,
                    e.late and "(late)" or (e.text or "no response"):gsub("\r\n", " ")))
            end
        end
        for _, o in ipairs(class.run.operations) do
            write("", ("%s %s %s %s: %s"):format(o.client, o.phase, o.name, o.value, o.crashed and "fault" or o.outcome))
        end
    end
end
