-- lua5.4 explore.lua LIBRARY DIRECTORY PAIR...
-- Explores pairs of phases that can serve at the same time, with the real library.lua. Prints a line for each class of
-- histories: pair, scenario, verdict and count, and the first one of a class that is not ok.
DIRECTORY = arg[2]
local cases = dofile(DIRECTORY .. "cases.lua")
local schedules, script = cases.schedules, cases.script
cases.load(arg[1])

local FEW <const> = { "get", "set", "append", "delete" }
local CORE <const> = { "get", "gat", "set", "add", "append", "cas", "delete" }
local ALL <const> = { "get", "gat", "set", "add", "append", "cas", "delete", "gets", "gats", "touch", "replace", "prepend", "incr", "decr",
    "mg", "mg without v", "mg with c", "mg with T", "ms", "ms with C", "ms in mode E", "ms in mode A", "ms in mode R", "ms with q", "ma",
    "ma with N", "md", "md with q", "md with C", "set noreply", "append noreply", "delete noreply" }
-- RECACHE has commands whose item waits for a client that stores it again. It does not move before.
local RECACHE <const> = { "mg with N", "md with I" }
-- TWICE has what one client sends after each other: it sees its own commands, and uses the CAS unique that it has read.
local TWICE <const> = { { "gets", "cas" }, { "set", "get" }, { "delete", "get" } }
-- THREE has the commands of three clients.
local THREE <const> = { "get", "append", "delete" }

local GROWTH <const>, BOTH <const> = { "growth" }, { "growth", "shrink" }

local found, order = {}, {}

-- count counts a run by its class.
local function count(class, run, verdict)
    for _, operation in ipairs(run.operations) do
        if operation.outcome == "SERVER_ERROR" then
            verdict = "busy"
        end
    end
    if run.copies then
        verdict = verdict == "ok" and "two copies" or verdict .. " and two copies"
    end
    local name = class .. "\t" .. verdict
    if not found[name] then
        found[name] = { count = 0, run = run }
        order[#order + 1] = name
    end
    found[name].count = found[name].count + 1
end

-- explore runs all schedules of clients with an item at a place.
local function explore(class, directions, place, clients, options)
    for _, direction in ipairs(directions) do
        local case = cases.new(direction, place, clients)
        for key, value in pairs(options or {}) do
            case[key] = value
        end
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

-- CRASH ends the proxy of client 1. The reads at the end come after all leases.
local CRASH <const> = { crash = true, between = function(run) run.now = run.now + 10000 end }
local LOSE_MARK <const> = { between = function(run, model) run.servers = { P = model.new(10), C = run.servers.C } end }

-- explorePlace explores two phases that can serve while the item is at a place.
local function explorePlace(pair, first, second, place)
    local closes = second == "closing" or first == "closing"
    local function two(a, b) return { script(first, a), script(second, b) } end
    each(ALL, CORE, function(a, b) explore(pair .. "\tno crash", BOTH, place, two(a, b)) end)
    each(CORE, TWICE, function(a, b) explore(pair .. "\tno crash", BOTH, place, { script(first, a), script(second, table.unpack(b)) }) end)
    each(FEW, FEW, function(a, b) explore(pair .. "\tcrash", BOTH, place, two(a, b), CRASH) end)
    for _, a in ipairs(FEW) do
        explore(pair .. "\tcrash", BOTH, place, { script(first, a), script(second, "gets", "cas") }, CRASH)
        -- a late copy must not bring back what another proxy has moved and deleted: FENCE prevents that
        explore(pair .. "\tcrash", GROWTH, place, { script(first, a), script(second, "set", "delete") }, CRASH)
        if place == "moved" and not closes then
            explore(pair .. "\tlost mark", GROWTH, place, two(a, "get"), LOSE_MARK)
        end
    end
    if not closes then
        each(RECACHE, CORE, function(a, b) explore(pair .. "\tno crash", BOTH, place, two(a, b)) end)
    end
    each(THREE, THREE, function(a, b)
        for i, c in ipairs(THREE) do
            if c == b or i > 1 and b == THREE[1] or i == 3 then
                explore(pair .. "\tno crash", GROWTH, place, { script(first, a), script(second, b), script(second, c) })
            end
        end
    end)
end

-- explorePair explores two phases, and what is not seen or lost on purpose.
local function explorePair(pair, first, second)
    for _, place in ipairs(pair.places) do
        explorePlace(pair.name, first, second, place)
    end
    local closes = second == "closing" or first == "closing"
    each(FEW, FEW, function(a, b)
        local clients = { script(first, a), script(second, b) }
        if closes then
            explore(pair.name .. "\tunmoved", BOTH, "P", clients)
        end
        explore(pair.name .. (closes and "\tunmoved, old C" or "\tno crash"), BOTH, "P and old C", clients)
        explore(pair.name .. (closes and "\told C" or "\tno crash"), BOTH, "old C", clients)
    end)
    for _, a in ipairs(first == "warming" and closes and FEW or {}) do
        explore(pair.name .. "\trecache", BOTH, "none", { script(first, "mg with N"), script(second, a) })
        explore(pair.name .. "\trecache", BOTH, "P", { script(first, "md with I", "get"), script(second, a) })
    end
end

local function write(...)
    io.write(table.concat({ ... }, "\t"), "\n")
end

for _, pair in ipairs(cases.PAIRS) do
    pair.name = pair[1] .. "+" .. pair[2]
    for i = 3, #arg do
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
            write("", e.request and ("%s %s %s: %s -> %s %s"):format(e.client, e.operation.phase, e.operation.name, e.request:raw_line(), e.server,
                e.late and "(late)" or e.text:gsub("\r\n", " ")) or e.client .. " ends")
        end
        for _, o in ipairs(class.run.operations) do
            write("", ("%s %s %s %s: %s"):format(o.client, o.phase, o.name, o.value, o.crashed and "ends" or o.outcome))
        end
    end
end
