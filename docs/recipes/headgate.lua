-- Asks Headgate whether a request may pass. For HAProxy 2.6 or later; haproxy.cfg shows how it is loaded.
--
--     http-request lua.headgate ADDRESS FAIL_MODE
--
-- ADDRESS is where the section of HAProxy listens that leads to the gateways, so that its time-outs and checks apply;
-- FAIL_MODE is "closed" (503) or "open" if no gateway answers. What a gateway answers that is not 200 is the answer to the
-- client; the two headers about quotas are in txn.headgate_ratelimit and txn.headgate_policy.

local URL = "http://headgate/v1/auth"
-- More than these the gateway would refuse; asking it would end as if it were not there.
local LONGEST_PATH = 4000
local LONGEST_TOKEN = 8192
local PASSED_ON = { "retry-after", "ratelimit", "ratelimit-policy", "www-authenticate", "content-type" }

local function first(headers, name)
  local values = headers and headers[name]
  return values and values[0]
end

local function deny(txn, status, headers, body)
  local reply = txn:reply { status = status, body = body }
  for name, value in pairs(headers) do
    reply:add_header(name, value)
  end
  txn:done(reply)
end

local function refuse(txn, status, title, retry_after)
  deny(txn, status, { ["retry-after"] = retry_after, ["content-type"] = "application/problem+json" },
    '{"type":"about:blank","title":"' .. title .. '","status":' .. status .. '}')
end

core.register_action("headgate", { "http-req" }, function(txn, address, fail_mode)
  local path = txn.sf:path()
  local token = first(txn.http:req_get_headers(), "authorization")
  if #path > LONGEST_PATH or (token and #token > LONGEST_TOKEN) then
    refuse(txn, 400, "Bad Request")
    return
  end
  local headers = {
    ["x-forwarded-for"] = { txn.f:src() },
    ["x-forwarded-method"] = { txn.sf:method() },
    ["x-forwarded-uri"] = { path },
  }
  if token then
    headers["authorization"] = { token }
  end

  local answer = core.httpclient():get { url = URL, dst = address, headers = headers }
  local status = answer and answer.status or 0
  -- If it reaches nobody HAProxy answers itself, in HTML; gateways say what they have to say in this type.
  local answered = status > 0 and (status == 200 or first(answer.headers, "content-type") == "application/problem+json")

  if not answered then
    if fail_mode == "open" then
      return
    end
    refuse(txn, 503, "Service Unavailable", "1")
  elseif status ~= 200 then
    local passed_on = {}
    for _, name in ipairs(PASSED_ON) do
      passed_on[name] = first(answer.headers, name)
    end
    deny(txn, status, passed_on, answer.body)
  else
    txn:set_var("txn.headgate_ratelimit", first(answer.headers, "ratelimit") or "")
    txn:set_var("txn.headgate_policy", first(answer.headers, "ratelimit-policy") or "")
  end
end, 2)
