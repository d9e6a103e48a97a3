-- The steps of commands. What a proxy does next for a command depends only on the responses that it got, and on their times. So
-- each step runs once, and all schedules in which it gets the same responses find it in a tree.
--
-- A step has the request that the proxy sends next and its server, the seconds for which it sleeps, or its response to the client.
local proxies, history = dofile(DIRECTORY .. "proxy.lua"), dofile(DIRECTORY .. "history.lua")
local model = proxies.model
local commands = { proxies = proxies, history = history }

local count = 0

-- resume lets the coroutine of a command run until its next step.
local function resume(routine, got)
    proxies.use(routine)
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
    resume(routine, step.got)
    return routine
end

-- after returns the step that follows a response, or the end of a pause.
function commands.after(step, got)
    local now = model.now
    local known = step.after[now] or {}
    step.after[now] = known
    if not known[got] then
        local routine = routineAt(step)
        model.now, count = now, count + 1
        local next = { id = count, before = step, got = got, now = now, routine = routine, after = {} }
        local what, server = resume(routine, got)
        if type(what) == "table" then
            next.request, next.server = what, server
        elseif what then
            next.pause = what
        else
            next.response, next.routine = server, nil
        end
        known[got] = next
    end
    return known[got]
end

local roots = {}

-- start returns the first step of a command with a value, from a client that knows a CAS unique.
function commands.start(proxy, name, value, unique)
    roots[proxy] = roots[proxy] or {}
    local key = name .. " " .. value .. " " .. unique
    local root = roots[proxy][key]
    if not root then
        local request = history.request(name, value, unique)
        local number = math.tointeger(tonumber(value))
        root = { after = {}, begin = function() -- the clocks of every second proxy are five minutes ahead
            return { last = number * 1000, skew = number // 10 % 2 == 0 and 300000 or 0, thread = coroutine.create(function() return nil, proxy(request) end) }
        end }
        roots[proxy][key] = root
    end
    return commands.after(root, "")
end

return commands
