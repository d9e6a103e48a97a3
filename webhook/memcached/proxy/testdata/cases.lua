-- The configurations of proxies, and where an item can be when a schedule begins.
local schedules = dofile(DIRECTORY .. "schedules.lua")
local cases = { schedules = schedules }

local ITEM <const> = { value = "5", unique = "7", flags = "0" }
local OLD <const> = { value = "666", unique = "3", flags = "0" }

-- value is what clients see.
local PLACES <const> = {
    none = {}, P = { P = ITEM, value = "5" }, C = { C = ITEM, value = "5" }, ["old C"] = { C = OLD }, ["P and old C"] = { P = ITEM, C = OLD, value = "5" },
}

-- PAIRS has the phases that can serve at the same time, and where the item can be while both do.
cases.PAIRS = {
    { "before", "announcing", places = { "none", "P", "old C", "P and old C" } },
    { "announcing", "announcing", places = { "none", "P", "old C", "P and old C" } },
    { "announcing", "preparing", places = { "none", "P" } },
    { "preparing", "preparing", places = { "none", "P" } },
    { "preparing", "warming", places = { "none", "P", "C" } },
    { "warming", "warming", places = { "none", "P", "C" } },
    { "warming", "closing", places = { "none", "C" } },
    { "closing", "closing", places = { "none", "C" } },
    { "closing", "after", places = { "none", "C" } },
}

cases.PHASES = { "before", "announcing", "preparing", "warming", "closing", "after" }

local function phases(old, new)
    local all = { before = { to = old }, after = { to = new } }
    for _, phase in ipairs({ "announcing", "preparing", "warming", "closing" }) do
        all[phase] = { from = old, to = new, phase = phase }
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
        growth = phases({ "P", "2", "3" }, { "P", "2", "3", "C" }), shrink = phases({ "C", "2", "3", "P" }, { "C", "2", "3" }),
        all = phases({ "P", "x", "y" }, { "C", "x2", "y2" }),
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

-- finally returns the reads at the end: in the phase of each client, and then in each later phase unless the item stays. Before preparing
-- begins, the Job cleans C, and before closing begins, the Job copies the item, unless leaves is set.
local function finally(clients, leaves)
    local all, last = {}, 0
    for _, script in ipairs(clients) do
        all[#all + 1] = { script[1][1], "get" }
        for i, phase in ipairs(cases.PHASES) do
            last = phase == script[1][1] and math.max(last, i) or last
        end
    end
    for i = last + 1, leaves == "stays" and 0 or #cases.PHASES do
        local phase = cases.PHASES[i]
        if not leaves and phase == "preparing" then
            all[#all + 1] = "clean"
        elseif not leaves and phase == "closing" then
            all[#all + 1] = { "warming", "copy" }
        end
        all[#all + 1] = { phase, "get" }
    end
    return all
end

-- new returns a case.
function cases.new(direction, place, clients, leaves)
    local at = PLACES[place]
    return { proxies = cases.DIRECTIONS[direction], clients = clients, finally = finally(clients, leaves), P = at.P, C = at.C, value = at.value }
end

return cases
