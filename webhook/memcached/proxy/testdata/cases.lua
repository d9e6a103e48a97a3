-- The configurations of proxies, and where an item can be when a schedule begins.
local schedules = dofile(DIRECTORY .. "schedules.lua")
local cases = { schedules = schedules }

local MARK <const> = { value = "", unique = "7885651650396779631", flags = "1836021349", expires = 1800000000 }
local ITEM <const> = { value = "5", unique = "7", flags = "0" }
local OLD <const> = { value = "666", unique = "3", flags = "0" }

-- value is what clients see.
local PLACES <const> = {
    none = {}, P = { P = ITEM, value = "5" }, moved = { P = MARK, C = ITEM, value = "5" }, deleted = { P = MARK },
    C = { C = ITEM, value = "5" }, ["old C"] = { C = OLD }, ["P and old C"] = { P = ITEM, C = OLD, value = "5" },
}

-- PAIRS has the phases that can serve at the same time, and where the item can be while both do.
cases.PAIRS = {
    { "before", "preparing", places = { "none", "P" } },
    { "preparing", "preparing", places = { "none", "P" } },
    { "preparing", "warming", places = { "none", "P", "moved", "deleted" } },
    { "warming", "warming", places = { "none", "P", "moved", "deleted" } },
    { "warming", "closing", places = { "none", "moved", "deleted" } },
    { "closing", "closing", places = { "none", "moved", "deleted" } },
    { "closing", "after", places = { "none", "moved", "deleted", "C" } },
}

local function phases(old, new)
    local ends = #new > #old and schedules.START // 1000 + 3600 or 0 -- marks of a decrease end with their servers
    local all = { before = { to = old }, after = { to = new } }
    for _, phase in ipairs({ "preparing", "warming", "closing" }) do
        all[phase] = { from = old, to = new, phase = phase, marks_end = phase == "preparing" and 0 or ends }
    end
    for phase, configuration in pairs(all) do
        all[phase] = schedules.proxies.new(configuration)
    end
    return all
end

-- load loads the routes. The key is on P before a change of size, and on C after it.
function cases.load(library)
    dofile(library)
    cases.DIRECTIONS = {
        growth = phases({ "P", "2", "3" }, { "1", "2", "3", "C" }), shrink = phases({ "1", "2", "3", "P" }, { "C", "2", "3" }),
    }
end

-- script returns what a client sends to a proxy in a phase.
function cases.script(phase, ...)
    local all = {}
    for i, command in ipairs({ ... }) do
        all[i] = { phase, command }
    end
    return all
end

-- new returns a case. At its end, each client reads the item.
function cases.new(direction, place, clients)
    local at = PLACES[place]
    local case = { proxies = cases.DIRECTIONS[direction], clients = clients, finally = {}, P = at.P, C = at.C, value = at.value }
    for i, script in ipairs(clients) do
        case.finally[i] = { script[1][1], "get" }
    end
    return case
end

return cases
