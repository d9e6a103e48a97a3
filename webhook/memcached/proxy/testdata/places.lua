-- lua5.4 places.lua LIBRARY DIRECTORY
-- Compares the pools of library.lua with where a key is before and after a change. Prints a line for each difference.
DIRECTORY = arg[2]
local proxies = dofile(DIRECTORY .. "proxy.lua")
dofile(arg[1])

local MOST <const> = 4 -- servers

-- list returns the names of servers. One that stays at its place has the same name in both lists.
local function list(name, length, stay)
    local all = {}
    for i = 1, length do
        all[i] = (stay >> (i - 1) & 1 == 1 and "stays" or name) .. i
    end
    return all
end

-- check compares the pools for a key with a place in each list.
local function check(phase, from, to, i, j)
    local found = { unmoved = "moved" } -- without a server that stays, there is no pool
    for name, pool in pairs(proxies.pools({ from = from, to = to, phase = phase })) do
        local server = pool.backends[#pool.backends == #from and i or j]
        found[name] = type(server) == "string" and server or "moved"
    end
    local stays = from[i] == to[j]
    local right = stays and found.unmoved == from[i] or not stays and found.unmoved == "moved" and found.from == from[i] and found.to == to[j]
    if not right then
        print(("%s from %s to %s, a key at place %d and then %d: unmoved %s, from %s, to %s"):format(phase, table.concat(from, " "),
            table.concat(to, " "), i, j, found.unmoved, found.from, found.to))
    end
end

-- each calls visit with the places of each key in two lists: the same one, or one that only the longer list has.
local function each(n, m, visit)
    for place = 1, math.min(n, m) do
        visit(place, place)
        for more = math.min(n, m) + 1, math.max(n, m) do
            visit(n > m and more or place, m > n and more or place)
        end
    end
end

for n = 1, MOST do
    for m = 1, MOST do
        for stay = 0, (1 << math.min(n, m)) - 1 do
            for _, phase in ipairs({ "preparing", "warming", "closing" }) do
                each(n, m, function(i, j) check(phase, list("old", n, stay), list("new", m, stay), i, j) end)
            end
        end
    end
end
