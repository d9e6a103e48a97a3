# Runs the operations of a module of Perl: clients.pl MODULE ADDRESS ADDRESS. cases_test.go describes them.
use strict;
use warnings;
use JSON::XS;

my ($module, @addresses) = @ARGV;
my $fast = $module eq 'Cache::Memcached::Fast';
eval "require $module" or die $@;
my $json = JSON::XS->new->utf8->allow_nonref;
my (@clients, @unique);

sub connected {
    return $module->new({
        servers => [@_],
        $fast ? (io_timeout => 5, connect_timeout => 1, failure_timeout => 1, nowait => 1, max_size => 4 << 20) : (),
    });
}

sub run {
    my ($i, $operation, @args) = @_;
    if ($operation eq 'new') {
        @clients = map { connected($_) } @addresses;
        return;
    }
    my $client = $clients[$i];
    if ($operation =~ s/!$//) {
        $client->$operation(@args); # a call without a use of its result is not awaited with nowait
        return \1;
    } elsif ($operation eq 'gets') {
        my $item = $client->gets(@args);
        return $item && do { $unique[$i] = $item->[0]; $item->[1] };
    } elsif ($operation eq 'cas') {
        my ($key, $value) = @args;
        return scalar $client->cas($key, $unique[$i], $value);
    } elsif ($operation eq 'get_multi') {
        return $client->get_multi(@{$args[0]});
    } elsif ($operation eq 'close') {
        $client->disconnect_all;
        return;
    }
    return scalar $client->$operation(@args);
}

$| = 1;
binmode STDIN;
print $module->VERSION, "\n";
while (my $line = <STDIN>) {
    my $result = eval { run(@{$json->decode($line)}) };
    print $json->encode($@ ? "$@" =~ s/ at .*//sr : $result), "\n";
}
