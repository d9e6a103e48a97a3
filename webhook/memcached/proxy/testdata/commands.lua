-- The steps of commands. What a proxy does next for a command depends only on the responses that it got, and on their times. So
-- each step runs once, and all schedules in which it gets the same responses find it in a tree.
--
-- A step has the request that the proxy sends next and its server, the seconds for which it sleeps (with turn, for another command of its connection), or its response to the client.
--
-- A command that its client sends before it has the responses to others follows those. Its coroutine runs beside coroutines of theirs that
-- stay at their first step, until the schedule says which of them are over.
local proxies, history = dofile(DIRECTORY .. "proxy.lua"), dofile(DIRECTORY .. "history.lua")
local model = proxies.model
local commands = { proxies = proxies, history = history }

local count, connections = 0, 0

-- resume lets the coroutine of a command run until its next step.
local function resume(routine, got, over)
    proxies.use(routine)
    for i in (over or ""):gmatch("%d") do
        coroutine.close(routine.before[tonumber(i)])
    end
    local ok, what, server = coroutine.resume(routine.thread, got)
    assert(ok, what)
    return what, server
end

-- routineAt returns a coroutine that has done all steps up to this one. Only one response can continue the first coroutine of a
-- step, so others repeat what it did.
local function routineAt(step)
    local routine = step.routine
    step.routine = nil
    if routine then
        return routine
    elseif step.begin then
        return step.begin()
    end
    routine = routineAt(step.before)
    model.now = step.now
    resume(routine, step.got, step.over)
    return routine
end

-- after returns the step that follows a response, or the end of a pause. over has the numbers of the commands that this one follows and that
-- are over since the last step.
function commands.after(step, got, over)
    local now = model.now
    local moment = over and now .. " " .. over or now
    local known = step.after[moment] or {}
    step.after[moment] = known
    if not known[got] then
        local routine = routineAt(step)
        model.now, count = now, count + 1
        local next = { id = count, before = step, got = got, over = over, now = now, routine = routine, after = {} }
        local what, server = resume(routine, got, over)
        if type(what) == "table" then
            next.request, next.server = what, server
        elseif what then
            next.pause, next.turn = what, server
        else
            next.response, next.routine = server, nil
        end
        known[got] = next
    end
    return known[got]
end

local roots = {}

-- start returns the first step of a command with a value, from a client that knows a CAS unique. events has which commands that it follows have
-- begun (number+) and ended (number-), and follows their names.
function commands.start(proxy, name, value, unique, events, follows)
    roots[proxy] = roots[proxy] or {}
    local key = name .. " " .. value .. " " .. unique .. " " .. events .. " " .. table.concat(follows, ",")
    local root = roots[proxy][key]
    if not root then
        local request = history.request(name, value, unique)
        local number = math.tointeger(tonumber(value))
        root = { after = {}, begin = function()
            connections = connections + 1
            local connection, routine = connections, { last = number * 1000, skew = number // 10 % 2 == 0 and 300000 or 0 } -- the clocks of every second proxy are five minutes ahead
            routine.before = {}
            for i, event in events:gmatch("(%d)(.)") do
                i = tonumber(i)
                if event == "+" then
                    routine.before[i] = coroutine.create(function() proxy(history.request(follows[i], value, unique), connection) end)
                    assert(coroutine.resume(routine.before[i]))
                else
                    coroutine.close(routine.before[i])
                end
            end
            routine.thread = coroutine.create(function() return nil, proxy(request, connection) end)
            return routine
        end }
        roots[proxy][key] = root
    end
    return commands.after(root, "")
end

return commands
