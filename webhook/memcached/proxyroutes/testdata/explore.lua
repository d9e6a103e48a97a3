-- lua5.4 explore.lua LIBRARY DIRECTORY PAIR...
-- Explores pairs of phases that can serve at the same time, with the real library.lua. Prints a line for each class of
-- histories: pair, scenario, verdict and count, and the first one of a class that is not ok.
DIRECTORY = arg[2]
local schedules = dofile(DIRECTORY .. "schedules.lua")
dofile(arg[1])

local CORE <const> = { "get", "gat", "set", "add", "append", "cas", "delete" }
local MORE <const> = { "gets", "touch", "replace", "incr", "mg", "mg without v", "mg with c", "mg with T", "ms", "ms with C",
    "ms in mode E", "ms in mode A", "ms in mode R", "ms with q", "ma", "ma with N", "md", "md with q", "md with C", "set noreply", "append noreply",
    "delete noreply" }
-- RECACHE has commands whose item waits for a client that stores it again. It does not move before.
local RECACHE <const> = { "mg with N", "md with I" }
local FEW <const> = { "get", "set", "append", "delete" }
-- TWICE has what one client sends after each other: it sees its own commands, and uses the CAS unique that it has read.
local TWICE <const> = { { "gets", "cas" }, { "set", "get" }, { "delete", "get" } }

local MOVED <const> = "7885651650396779631"
local MARK <const> = { value = "", unique = MOVED, flags = "1836021349", expires = 1800000000 }
local OLD <const> = { value = "666", unique = "3", flags = "0" }
local PLACES <const> = {
    none = {}, P = { P = true, value = "5" }, moved = { P = MARK, C = true, value = "5" }, deleted = { P = MARK },
    C = { C = true, value = "5" }, ["old C"] = { C = OLD }, ["P and old C"] = { P = true, C = OLD, value = "5" },
}

local function phases(old, new)
    local end_ = #new > #old and 1900000000 or 0
    local all = { before = { current = old }, after = { current = new } }
    for _, phase in ipairs({ "preparing", "warming", "closing" }) do
        all[phase] = { current = new, previous = old, phase = phase, marks_end = phase == "preparing" and 0 or end_ }
    end
    for phase, configuration in pairs(all) do
        all[phase] = schedules.proxies.new(configuration)
    end
    return all
end
local DIRECTIONS <const> = {
    growth = phases({ "P", "2", "3" }, { "1", "2", "3", "C" }), shrink = phases({ "1", "2", "3", "P" }, { "C", "2", "3" }),
}


local found, order = {}, {}

-- explore runs all schedules of clients with an item at a place, and counts them by their class.
local function explore(class, direction, place, clients, options)
    local case = { proxies = DIRECTIONS[direction], clients = clients, finally = {} }
    for _, source in ipairs({ PLACES[place], options or {} }) do
        for key, value in pairs(source) do
            case[key] = value
        end
    end
    for _, script in ipairs(clients) do
        table.insert(case.finally, { script[1][1], "get" })
    end
    schedules.each(case, function(run, verdict)
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
            found[name] = { count = 0, run = run, place = place }
            order[#order + 1] = name
        end
        found[name].count = found[name].count + 1
    end)
end

local function join(...)
    local all = {}
    for _, list in ipairs({ ... }) do
        table.move(list, 1, #list, #all + 1, all)
    end
    return all
end

local function script(phase, ...)
    local all = {}
    for i, command in ipairs({ ... }) do
        all[i] = { phase, command }
    end
    return all
end

-- WHERE has where the item can be while both phases of a pair serve.
local WHERE <const> = {
    ["before+preparing"] = { "none", "P" }, ["preparing+preparing"] = { "none", "P" },
    ["preparing+warming"] = { "none", "P", "moved", "deleted" }, ["warming+warming"] = { "none", "P", "moved", "deleted" },
    ["warming+closing"] = { "none", "moved", "deleted" }, ["closing+closing"] = { "none", "moved", "deleted" },
    ["closing+after"] = { "none", "moved", "deleted", "C" },
}

local function crash()
    return { crash = true, between = function(_, model) model.now = model.now + 10000 end }
end

local function loseMark()
    return { between = function(servers) servers.P.item = nil end }
end

-- explorePair explores both orders of two phases.
local function explorePair(pair, first, second, both)
    local closes = pair:find("closing") ~= nil
    local early = closes and {} or RECACHE
    for _, place in ipairs(WHERE[pair]) do
        for _, a in ipairs(join(CORE, MORE, early)) do
            for _, b in ipairs(CORE) do
                explore(pair .. "\tno crash", "growth", place, { script(first, a), script(second, b) })
            end
        end
        for _, a in ipairs(CORE) do
            for _, b in ipairs(TWICE) do
                explore(pair .. "\tno crash", "shrink", place, { script(first, a), script(second, table.unpack(b)) })
            end
        end
        for _, a in ipairs(FEW) do
            for _, b in ipairs(FEW) do
                explore(pair .. "\tno crash", "shrink", place, { script(first, a), script(second, b) })
                explore(pair .. "\tcrash", "growth", place, { script(first, a), script(second, b) }, crash())
            end
            explore(pair .. "\tcrash", "shrink", place, { script(first, a), script(second, "gets", "cas") }, crash())
            if place == "moved" and not closes then
                explore(pair .. "\tlost mark", "growth", place, { script(first, a), script(second, "get") }, loseMark())
            end
        end
        if both and (place == "P" or place == "moved") then
            for _, three in ipairs({ { "get", "get", "set" }, { "append", "get", "delete" }, { "get", "append", "set" } }) do
                explore(pair .. "\tno crash", "growth", place, { script(first, three[1]), script(second, three[2]), script(second, three[3]) })
            end
        end
    end
    for _, a in ipairs(FEW) do
        for _, b in ipairs(FEW) do
            if closes then
                explore(pair .. "\tunmoved", "growth", "P", { script(first, a), script(second, b) })
                explore(pair .. "\tunmoved, old C", "growth", "P and old C", { script(first, a), script(second, b) })
                explore(pair .. "\told C", "growth", "old C", { script(first, a), script(second, b) })
            elseif first ~= "before" and second ~= "before" then
                explore(pair .. "\tno crash", "growth", "old C", { script(first, a), script(second, b) })
                explore(pair .. "\tno crash", "growth", "P and old C", { script(first, a), script(second, b) })
            end
        end
        if first == "warming" and closes then
            explore(pair .. "\trecache", "growth", "none", { script(first, "mg with N"), script(second, a) })
            explore(pair .. "\trecache", "growth", "P", { script(first, "md with I", "get"), script(second, a) })
        end
    end
end

local function write(...)
    io.write(table.concat({ ... }, "\t"), "\n")
end

for i = 3, #arg do
    local first, second = arg[i]:match("(%w+)%+(%w+)")
    explorePair(arg[i], first, second, true)
    if first ~= second then
        explorePair(arg[i], second, first, false)
    end
end
for _, name in ipairs(order) do
    local class = found[name]
    write(name, class.count)
    if not name:find("\tok$") then
        for _, line in ipairs(class.run.trace) do
            write("", line)
        end
        for _, o in ipairs(class.run.operations) do
            write("", ("%s %s %s %s: %s"):format(o.client, o.phase, o.name, o.value, o.crashed and "ends" or o.outcome))
        end
    end
end
