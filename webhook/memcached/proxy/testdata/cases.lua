-- The configurations of proxies, and where an item can be when a schedule begins.
local schedules = dofile(DIRECTORY .. "schedules.lua")
local cases = { schedules = schedules }

local ITEM <const> = { value = "5", unique = "7", flags = "0" }
local OLD <const> = { value = "666", unique = "3", flags = "0" }

-- value is what clients see.
local PLACES <const> = {
    none = {}, from = { from = ITEM, value = "5" }, to = { to = ITEM, value = "5" }, ["old to"] = { to = OLD },
    ["from and old to"] = { from = ITEM, to = OLD, value = "5" },
}

-- PAIRS has the phases that can serve at the same time, and where the item can be while both do.
cases.PAIRS = {
    { "before", "announcing", places = { "none", "from", "old to", "from and old to" } },
    { "announcing", "announcing", places = { "none", "from", "old to", "from and old to" } },
    { "announcing", "preparing", places = { "none", "from" } },
    { "preparing", "preparing", places = { "none", "from" } },
    { "preparing", "warming", places = { "none", "from", "to" } },
    { "warming", "warming", places = { "none", "from", "to" } },
    { "warming", "closing", places = { "none", "to" } },
    { "closing", "closing", places = { "none", "to" } },
    { "closing", "after", places = { "none", "to" } },
}

-- BACK begins the phases of a second change, after the first one, to the servers before both. There, items move from `to` to `from`.
local BACK <const> = "back "
cases.PHASES = { "before", "announcing", "preparing", "warming", "closing", "after",
    BACK .. "announcing", BACK .. "preparing", BACK .. "warming", BACK .. "closing", BACK .. "after" }

local function phases(old, new)
    local all = { before = { to = old }, after = { to = new }, [BACK .. "after"] = { to = old } }
    for _, phase in ipairs({ "announcing", "preparing", "warming", "closing" }) do
        all[phase] = { from = old, to = new, phase = phase }
        all[BACK .. phase] = { from = new, to = old, phase = phase }
    end
    for phase, configuration in pairs(all) do
        all[phase] = schedules.proxies.new(configuration)
    end
    return all
end

-- load loads the routes. The key is on `from` before a change, and on `to` after it: at the second place of three servers, and at the last
-- of four. In slot, one place gets another server, and in all, each place.
function cases.load(library)
    dofile(library)
    cases.DIRECTIONS = {
        growth = phases({ "1", "from", "3" }, { "1", "from", "3", "to" }), shrink = phases({ "1", "to", "3", "from" }, { "1", "to", "3" }),
        slot = phases({ "1", "from", "3" }, { "1", "to", "3" }), all = phases({ "1", "from", "3" }, { "4", "5", "6", "to" }),
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

-- pipeline returns what a client sends at once.
function cases.pipeline(...)
    local all = cases.script(...)
    all.pipelines = true
    return all
end

-- finally returns the reads at the end: in the phase of each client, and then in each later phase unless the item stays. Before preparing
-- begins, the Job cleans the server that items move to, and before closing begins, the Job copies the item. With leaves, it does neither in
-- the first change.
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
        local back = phase:match(BACK) or ""
        if (not leaves or back == BACK) and phase == back .. "preparing" then
            all[#all + 1] = { clean = back == BACK and "from" or "to" }
        elseif (not leaves or back == BACK) and phase == back .. "closing" then
            all[#all + 1] = { back .. "warming", "copy" }
        end
        all[#all + 1] = { phase, "get" }
    end
    return all
end

-- new returns a case.
function cases.new(direction, place, clients, leaves)
    local at = PLACES[place]
    return { proxies = cases.DIRECTIONS[direction], clients = clients, finally = finally(clients, leaves), from = at.from, to = at.to, value = at.value }
end

return cases
