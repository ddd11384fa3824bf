// spec: rpc 2.4: id absent: a notification, executed, with an empty body
>> {"jsonrpc":"2.0","method":"eth_chainId","params":[]}
<<
