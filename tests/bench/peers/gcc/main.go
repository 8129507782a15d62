// SPDX-License-Identifier: MIT

// A peer of `livetcp bench`: carries RTP over UDP under Google Congestion Control (draft-ietf-rmcat-gcc)
// as pion has it: cc with gcc.SendSideBWE and its default pacer, feedback by twcc with its defaults.
// src/lab/bench/transport_program.c describes how the bench speaks with it.
//
//	gcc receive ADDRESS
//	gcc send ADDRESS PORT RATE
package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/pion/interceptor"
	"github.com/pion/interceptor/pkg/cc"
	"github.com/pion/interceptor/pkg/gcc"
	"github.com/pion/interceptor/pkg/twcc"
	"github.com/pion/rtcp"
	"github.com/pion/rtp"
)

const (
	messageMax  = 1 << 16
	extensionID = 1
	twccURI     = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
	minRate     = 50_000
	maxRate     = 50_000_000
)

// Until the receiver has a packet it does not know where to send feedback to.
var hello = []byte("hello")

func stream(ssrc uint32) *interceptor.StreamInfo {
	return &interceptor.StreamInfo{
		SSRC:                ssrc,
		ClockRate:           90000,
		RTPHeaderExtensions: []interceptor.RTPHeaderExtension{{URI: twccURI, ID: extensionID}},
		RTCPFeedback:        []interceptor.RTCPFeedback{{Type: "transport-cc"}},
	}
}

// The bench, on standard input.
func connectBench() (*net.UnixConn, error) {
	conn, err := net.FileConn(os.NewFile(0, "bench"))
	if err != nil {
		return nil, fmt.Errorf("standard input is no socket of livetcp bench: %w", err)
	}
	bench, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, errors.New("standard input is no Unix socket")
	}
	return bench, nil
}

func say(bench *net.UnixConn, format string, args ...any) {
	if _, err := fmt.Fprintf(bench, format, args...); err != nil {
		os.Exit(0) // the bench has ended
	}
}

func build(factories ...interceptor.Factory) (interceptor.Interceptor, error) {
	registry := &interceptor.Registry{}
	for _, factory := range factories {
		registry.Add(factory)
	}
	return registry.Build("")
}

// send takes packets of the bench to `address` until the bench ends.
func send(bench *net.UnixConn, address string, rate int) error {
	conn, err := net.Dial("udp", address)
	if err != nil {
		return err
	}
	control, err := cc.NewInterceptor(func() (cc.BandwidthEstimator, error) {
		return gcc.NewSendSideBWE(gcc.SendSideBWEInitialBitrate(rate),
			gcc.SendSideBWEMinBitrate(minRate), gcc.SendSideBWEMaxBitrate(maxRate))
	})
	if err != nil {
		return err
	}
	control.OnNewPeerConnection(func(_ string, estimator cc.BandwidthEstimator) {
		estimator.OnTargetBitrateChange(func(rate int) { say(bench, "rate %d", rate) })
	})
	numbers, err := twcc.NewHeaderExtensionInterceptor()
	if err != nil {
		return err
	}
	// The estimator sees a packet when its pacer lets it go, with its number: pion's order.
	chain, err := build(control, numbers)
	if err != nil {
		return err
	}
	go readFeedback(chain, conn)
	if err := greet(conn); err != nil {
		return err
	}
	say(bench, "ready")
	return forward(bench, chain, conn)
}

// greet tells the receiver where this end is; loss is possible.
func greet(conn net.Conn) error {
	for range 5 {
		if _, err := conn.Write(hello); err != nil {
			return err
		}
	}
	return nil
}

func forward(bench *net.UnixConn, chain interceptor.Interceptor, conn net.Conn) error {
	writers := map[uint32]interceptor.RTPWriter{}
	socket := interceptor.RTPWriterFunc(
		func(header *rtp.Header, payload []byte, _ interceptor.Attributes) (int, error) {
			packet, err := (&rtp.Packet{Header: *header, Payload: payload}).Marshal()
			if err != nil {
				return 0, err
			}
			return conn.Write(packet)
		})
	buffer := make([]byte, messageMax)
	for {
		n, err := bench.Read(buffer)
		if err != nil || n == 0 {
			return nil
		}
		packet := &rtp.Packet{}
		if err := packet.Unmarshal(buffer[:n]); err != nil {
			return err
		}
		writer, known := writers[packet.SSRC]
		if !known {
			writer = chain.BindLocalStream(stream(packet.SSRC), socket)
			writers[packet.SSRC] = writer
		}
		if _, err := writer.Write(&packet.Header, packet.Payload, interceptor.Attributes{}); err != nil {
			say(bench, "dropped 1")
		}
	}
}

func readFeedback(chain interceptor.Interceptor, conn net.Conn) {
	reader := chain.BindRTCPReader(interceptor.RTCPReaderFunc(
		func(b []byte, a interceptor.Attributes) (int, interceptor.Attributes, error) {
			n, err := conn.Read(b)
			return n, a, err
		}))
	buffer := make([]byte, messageMax)
	for {
		if _, _, err := reader.Read(buffer, interceptor.Attributes{}); errors.Is(err, net.ErrClosed) {
			return
		}
	}
}

// receive hands packets to the bench and sends feedback, until the bench ends.
func receive(bench *net.UnixConn, address string) error {
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.ParseIP(address)})
	if err != nil {
		return err
	}
	feedback, err := twcc.NewSenderInterceptor()
	if err != nil {
		return err
	}
	chain, err := build(feedback)
	if err != nil {
		return err
	}
	say(bench, "port %d", conn.LocalAddr().(*net.UDPAddr).Port)
	go watch(bench)
	return deliver(bench, chain, conn)
}

func deliver(bench *net.UnixConn, chain interceptor.Interceptor, conn *net.UDPConn) error {
	var peer net.Addr
	readers := map[uint32]interceptor.RTPReader{}
	buffer := make([]byte, messageMax)
	plain := interceptor.RTPReaderFunc(
		func(b []byte, a interceptor.Attributes) (int, interceptor.Attributes, error) {
			return len(b), a, nil
		})
	for {
		n, from, err := conn.ReadFromUDP(buffer)
		if err != nil {
			return err
		}
		if peer == nil {
			peer = from
			chain.BindRTCPWriter(interceptor.RTCPWriterFunc(
				func(packets []rtcp.Packet, _ interceptor.Attributes) (int, error) {
					raw, err := rtcp.Marshal(packets)
					if err != nil {
						return 0, err
					}
					return conn.WriteTo(raw, peer)
				}))
			say(bench, "ready")
		}
		packet := &rtp.Packet{}
		if packet.Unmarshal(buffer[:n]) != nil {
			continue // a greeting
		}
		reader, known := readers[packet.SSRC]
		if !known {
			reader = chain.BindRemoteStream(stream(packet.SSRC), plain)
			readers[packet.SSRC] = reader
		}
		if _, _, err := reader.Read(buffer[:n], interceptor.Attributes{}); err != nil {
			return err
		}
		if err := hand(bench, packet); err != nil {
			return nil
		}
	}
}

// hand delivers a packet as the bench sent it, without the extension.
func hand(bench *net.UnixConn, packet *rtp.Packet) error {
	packet.Extension = false
	packet.Extensions = nil
	raw, err := packet.Marshal()
	if err == nil {
		_, err = bench.Write(raw)
	}
	return err
}

// watch ends the program with the bench.
func watch(bench *net.UnixConn) {
	buffer := make([]byte, messageMax)
	for {
		if n, err := bench.Read(buffer); err != nil || n == 0 {
			os.Exit(0)
		}
	}
}

func run(bench *net.UnixConn, args []string) error {
	switch {
	case len(args) == 2 && args[0] == "receive":
		return receive(bench, args[1])
	case len(args) == 4 && args[0] == "send":
		rate, err := strconv.Atoi(args[3])
		if err != nil {
			return fmt.Errorf("a rate of %q: %w", args[3], err)
		}
		return send(bench, net.JoinHostPort(args[1], args[2]), rate)
	}
	return errors.New("usage: gcc receive ADDRESS | send ADDRESS PORT RATE")
}

func main() {
	bench, err := connectBench()
	if err == nil {
		if err = run(bench, os.Args[1:]); err != nil {
			say(bench, "error %v", err)
			time.Sleep(100 * time.Millisecond) // for the message
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gcc:", err)
		os.Exit(1)
	}
}
